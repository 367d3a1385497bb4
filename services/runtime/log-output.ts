import { pino, type Logger } from 'pino';

export type LogOutput = Logger;

/**
 * JSON lines on standard output, one a happening. Field names carry units (`span_ms`). What identifies a person or opens a door is
 * removed here as a second line of defence; the first is never to pass it in.
 */
export function createLogOutput(
  process_name: string,
  level = process.env['HAILMARK_LOG_LEVEL'] ?? 'info',
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
