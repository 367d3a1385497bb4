/**
 * The one catalogue of Hailmark's errors. A code is stable and is what programs match on; the text is for people and says what
 * to do. `kind` decides what a loop does with it:
 *
 * - `operator`: a person must act (configuration, ports, folders); a process ends with the sentence and exit code 1, or 78 where its settings
 *   cannot be used
 * - `transient`: something outside is away or busy; retry in place
 * - `bug`: ours; the process ends loudly
 */
export const errorCatalogue = {
  HAIL_CONFIG: { kind: 'operator' },
  HAIL_COMMAND: { kind: 'operator' },
  HAIL_PORT_IN_USE: { kind: 'operator' },
  HAIL_DATA_DIR: { kind: 'operator' },
  HAIL_OWNED_ELSEWHERE: { kind: 'operator' },
  HAIL_OTHER_LOG: { kind: 'operator' },
  HAIL_SCHEMA_CHANGED: { kind: 'operator' },
  HAIL_SCHEMA_INCIDENT: { kind: 'operator' },
  HAIL_NOT_STARTED: { kind: 'operator' },
  HAIL_DATABASE_KIND: { kind: 'operator' },
  HAIL_BACKUP: { kind: 'operator' },
  HAIL_REBUILD: { kind: 'operator' },
  HAIL_CALIBRATION_DATA: { kind: 'operator' },
  HAIL_OWNERSHIP_LOST: { kind: 'transient' },
  HAIL_LOG_UNAVAILABLE: { kind: 'transient' },
  HAIL_REGISTRY_UNAVAILABLE: { kind: 'transient' },
  HAIL_STORE_UNAVAILABLE: { kind: 'transient' },
  HAIL_GEOCODER_UNAVAILABLE: { kind: 'transient' },
  HAIL_PUBLISHER_UNAVAILABLE: { kind: 'transient' },
  HAIL_MESSAGE_TOO_LARGE: { kind: 'bug' },
  HAIL_UNKNOWN_TOPIC: { kind: 'bug' },
  HAIL_INVALID_FACT: { kind: 'bug' },
  HAIL_INVALID_PLACE: { kind: 'bug' },
} as const satisfies Record<string, { kind: 'operator' | 'transient' | 'bug' }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** An error of the catalogue. `message` is a whole sentence for a person and never holds an address or a key. */
export class HailmarkError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HailmarkError';
    this.code = code;
  }

  get kind(): 'operator' | 'transient' | 'bug' {
    return errorCatalogue[this.code].kind;
  }
}

export function isHailmarkError(error: unknown, code?: ErrorCode): error is HailmarkError {
  return error instanceof HailmarkError && (code === undefined || error.code === code);
}

/** True where waiting and trying the same thing again is right. */
export function isTransient(error: unknown): boolean {
  return isHailmarkError(error) && error.kind === 'transient';
}

/** The `code` of a Node system error (`EADDRINUSE`, `ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
