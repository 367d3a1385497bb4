import type { ProjectionBench } from './projection.ts';

/** What was measured, for a person. */
export function projectionTable(measured: ProjectionBench): string[] {
  const { facts, log, runs } = measured;
  return [
    `projection from ${log.padEnd(9)} ${facts} facts, median of ${runs.length}: ${measured.median_facts_per_s} a second`,
    ...runs.flatMap((run, at) => [
      `run ${at + 1}                     ${run.facts_per_s} a second in ${run.span_s} s after a start of ${run.start_s} s`,
      `  processor seconds       projector ${run.projector_cpu_s}, gateway and engine ${run.gateway_cpu_s}`,
      `  RSS of projector        ${memoryText(run.projector_rss_mb)}`,
      `  RSS of gateway          ${memoryText(run.gateway_rss_mb)}`,
    ]),
    `the engine alone          ${measured.engine_alone_rows_per_s} rows a second from a table of its own, in blocks as large`,
    `its Kafka table engine    ${kafkaText(measured)}`,
  ];
}

function memoryText({ quarters, peak }: { quarters: readonly number[]; peak: number }): string {
  return `${quarters.join(', ')} MB at the quarters, peak ${peak} MB`;
}

function kafkaText({ kafka_engine }: ProjectionBench): string {
  if (kafka_engine === 'not asked') return 'not asked: the log is not Kafka';
  if (kafka_engine === 'absent') return 'the embedded engine has none';
  return `${kafka_engine} rows a second`;
}
