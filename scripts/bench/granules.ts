import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { min_grid_size_tenths_mm } from '../../services/hail/grid.ts';
import { runCommand, wholeNumber } from '../../services/runtime/command.ts';
import { createGranuleDecoder } from '../../services/feeds/mrms/granule-decoder.ts';

const help = `Measures how granules of the radar mosaic are decoded: the recorded one (24.5 million cells), in the feed's own thread.

  npm run bench:granules               prints a table
  npm run bench:granules -- --json     one JSON object
  --runs 15                            how often; the median counts

Where ecCodes is installed (Debian: libeccodes-tools) its grib_get reads the same granule in the same run, one after the other, from a
file that is unpacked beforehand. Linux only: memory is read from /proc. Interrupted, it leaves nothing but perhaps a file in the folder for
temporary files.

Example:
  npm run bench:granules -- --runs 5 --json

Exit codes: 0 done, 1 it failed or a limit is passed, 64 the command was not understood, 130 interrupted.`;

const recorded = resolve(
  import.meta.dirname,
  '../../infra/sandbox/recordings/mrms/MRMS_MESH_00.50_20260610-213040.grib2.gz',
);
const expected = { product: 'MESH', stamp: Date.parse('2026-06-10T21:30:40Z') } as const;
const limits = { median_s: 0.3, peak_rss_over_bare_node_mb: 100 } as const;

interface Measured {
  cells: number;
  runs: number;
  /** From the gzipped object to its hail, the start of the thread left out: that is `first_s`. */
  median_s: number;
  first_s: number;
  peak_rss_mb: number;
  bare_node_mb: number;
  /** `grib_get` with the largest value of all cells, its start included; null where it is not installed. */
  eccodes_median_s: number | null;
}

/** In a process of its own, so that nothing but the decoder is in its memory. Prints what the other side reads. */
async function decodeAgain(runs: number): Promise<void> {
  const object = readFileSync(recorded);
  const decoder = createGranuleDecoder();
  const spans: number[] = [];
  let cells = 0;
  const eccodes: number[] = [];
  await withUnpacked(object, async (path) => {
    for (let run = 0; run <= runs; run += 1) {
      const began = performance.now();
      const granule = await decoder.decode(object, expected, min_grid_size_tenths_mm);
      spans.push((performance.now() - began) / 1_000);
      cells = granule.covered + granule.uncovered;
      const span_s = eccodesSpan(path);
      if (span_s !== null) eccodes.push(span_s);
    }
  });
  await decoder.rest();
  const [first_s = NaN, ...others] = spans;
  const measured: Measured = {
    cells,
    runs,
    median_s: median(others),
    first_s: rounded(first_s),
    peak_rss_mb: peakRss(),
    bare_node_mb: bareNode(),
    eccodes_median_s: eccodes.length === 0 ? null : median(eccodes),
  };
  console.log(JSON.stringify(measured));
}

async function withUnpacked(object: Buffer, work: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hailmark-granules-'));
  try {
    const path = join(folder, 'granule.grib2');
    writeFileSync(path, gunzipSync(object));
    await work(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function eccodesSpan(path: string): number | null {
  const began = performance.now();
  const { status, stdout } = spawnSync('grib_get', ['-p', 'max', path], { encoding: 'utf8' });
  if (status !== 0) return null;
  if (stdout.trim() !== '37.5') throw new Error(`ecCodes finds another largest cell: ${stdout.trim()}`);
  return (performance.now() - began) / 1_000;
}

function peakRss(): number {
  return megabytes(readFileSync('/proc/self/status', 'utf8'));
}

function bareNode(): number {
  const script = "process.stdout.write(require('fs').readFileSync('/proc/self/status', 'utf8'))";
  return megabytes(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout);
}

function megabytes(status: string): number {
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_000);
}

function median(spans: readonly number[]): number {
  return rounded(spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)] ?? NaN);
}

function rounded(span_s: number): number {
  return Math.round(span_s * 1_000) / 1_000;
}

function measure(runs: number): Measured {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [import.meta.filename, '--decode', '--runs', String(runs)],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the measuring process failed: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

function report(measured: Measured, json: boolean): number {
  const { cells, runs, median_s, first_s, peak_rss_mb, bare_node_mb, eccodes_median_s } = measured;
  const over_mb = peak_rss_mb - bare_node_mb;
  if (json) {
    console.log(JSON.stringify(measured));
  } else {
    console.log(`a granule of ${cells} cells`);
    console.log(
      `median of ${runs}      ${median_s} s (limit ${limits.median_s} s), the first ${first_s} s with its thread`,
    );
    console.log(
      `ecCodes, same run  ${eccodes_median_s === null ? 'not installed' : `${eccodes_median_s} s`}`,
    );
    console.log(
      `peak RSS           ${peak_rss_mb} MB, ${over_mb} MB over a bare Node (limit ${limits.peak_rss_over_bare_node_mb} MB)`,
    );
  }
  if (median_s <= limits.median_s && over_mb <= limits.peak_rss_over_bare_node_mb) return 0;
  console.error('Over the limit.');
  return 1;
}

await runCommand({
  help,
  options: {
    json: { type: 'boolean', default: false },
    // Said by this program to itself: the process that measures.
    decode: { type: 'boolean', default: false },
    runs: { type: 'string', default: '15' },
  },
  if_interrupted: 'Interrupted. Nothing was measured to its end.',
  async run({ values }) {
    const runs = wholeNumber('runs', values.runs, 1);
    if (!values.decode) return report(measure(runs), values.json);
    await decodeAgain(runs);
    return 0;
  },
});
