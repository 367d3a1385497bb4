import { systemCode } from '../../../services/runtime/errors.ts';

/** An error as ClickHouse reports it over HTTP: a code, a text that begins with it, and the status its server would choose. */
export class EngineError extends Error {
  readonly code: number;
  readonly status: number;

  constructor(code: number, text: string, status = statusOfCode(code)) {
    super(text.startsWith('Code: ') ? text : `Code: ${code}. DB::Exception: ${text}`);
    this.name = 'EngineError';
    this.code = code;
    this.status = status;
  }
}

const not_enough_space = 243;

/** As ClickHouse's own HTTP handler maps its codes (src/Server/HTTP/exceptionCodeToHTTPStatus.cpp); every other code is 500. */
const codes_by_status: readonly (readonly [number, readonly number[]])[] = [
  [
    400,
    [
      6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675,
      676,
    ],
  ],
  [401, [194]],
  [403, [192, 193, 497, 512, 516]],
  [404, [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511]],
  [408, [159]],
  [411, [381]],
  [413, [229]],
  [415, [779]],
  [501, [48]],
  [503, [76, 209, 439]],
];

function statusOfCode(code: number): number {
  return codes_by_status.find(([, codes]) => codes.includes(code))?.[0] ?? 500;
}

/** What the engine threw, as an EngineError: its text begins with ClickHouse's code. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  // The rows of an insert go through a file; ClickHouse has a code of its own for a disk without room.
  if (['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? ''))
    return new EngineError(not_enough_space, 'Cannot write what is to be inserted, not enough space.');
  // The file that carried an insert's data is an inner matter, and gone by the time anyone reads this.
  const text = (error instanceof Error ? error.message : String(error)).replace(
    /: \(in file\/uri [^)]*\)/g,
    '',
  );
  const written = /^Code: (\d+)\./.exec(text)?.[1];
  return new EngineError(written === undefined ? 1001 : Number(written), text);
}
