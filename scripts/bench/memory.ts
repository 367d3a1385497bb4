import { readFileSync } from 'node:fs';

export interface Memory {
  rss_mb: number;
  peak_mb: number;
}

/** Resident memory of a process, now and at its highest so far. Linux only. */
export function memoryOf(pid: number | undefined): Memory {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_000);
  return { rss_mb: megabytes('VmRSS'), peak_mb: megabytes('VmHWM') };
}

/** Processor seconds that a process has used so far. */
export function cpuSeconds(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid ?? 0}/stat`, 'utf8');
  // The second field is a name in brackets, which may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks_a_second;
}

const ticks_a_second = 100;
