/**
 * The root of every error that the domain and the engine throw on purpose.
 * `code` is stable and is what surfaces map on; the message is a sentence for a person, without a final period.
 * It knows no HTTP status: each surface has one mapper for that.
 */
export class StithyError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An error that says what the caller sent wrong; `field` names the input where there is one. */
export class InvalidInput extends StithyError {
  constructor(message: string, readonly field?: string, options?: ErrorOptions) {
    super("invalid-input", message, field === undefined ? {} : { field }, options);
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
