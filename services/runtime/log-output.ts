import { pino, type Logger } from 'pino';

export type LogOutput = Logger;

export const log_levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof log_levels)[number];

/**
 * JSON lines on standard output, one a happening. Field names carry units (`span_ms`). What identifies a person or opens a door is
 * removed here as a second line of defence; the first is never to pass it in.
 */
export function createLogOutput(
  process_name: string,
  level: LogLevel = levelOf(process.env['HAILMARK_LOG_LEVEL']),
): LogOutput {
  return pino({
    level,
    base: { process: process_name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'address',
        'api_key',
        'authorization',
        '*.address',
        '*.api_key',
        '*.authorization',
        'req.headers',
        'url',
      ],
      remove: true,
    },
  });
}

/** One that is none is a setting that cannot be used, which `readConfig` says a moment later in a sentence. */
function levelOf(text: string | undefined): LogLevel {
  return log_levels.find((level) => level === text) ?? 'info';
}
