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

const bad_request = [6, 26, 27, 36, 38, 41, 43, 53, 62, 69, 70, 72, 117, 130, 386, 456, 457];
const not_found = [16, 46, 47, 50, 56, 60, 73, 81, 115];

/** As ClickHouse's own HTTP handler maps its codes (src/Server/HTTPHandler, exceptionCodeToHTTPStatus). */
export function statusOfCode(code: number): number {
  if (bad_request.includes(code)) return 400;
  if (not_found.includes(code)) return 404;
  if (code === 194) return 401;
  if (code === 516 || code === 192 || code === 193) return 403;
  if (code === 159 || code === 209) return 408;
  if (code === 48) return 501;
  if (code === 439) return 503;
  return 500;
}

/** What the engine threw, as an EngineError; the engine's binding carries ClickHouse's code beside its text. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const carried =
    error instanceof Error && 'clickhouseCode' in error && typeof error.clickhouseCode === 'number'
      ? error.clickhouseCode
      : null;
  // The raw insert call of the binding throws plain errors; ClickHouse's wire form begins with the code.
  const written = /^Code: (\d+)\./.exec(text)?.[1];
  return new EngineError(carried ?? (written === undefined ? 1001 : Number(written)), text);
}
