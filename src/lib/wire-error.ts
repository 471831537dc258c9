import { StithyError, messageOf, type ErrorKind } from "./errors.ts";
import { explainFull, noteFull } from "./files.ts";

/** An error as it crosses between threads, where classes and prototypes do not survive. */
export interface WireError {
  /** null for an error that nobody threw on purpose */
  readonly code: string | null;
  readonly kind: ErrorKind;
  readonly name: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly stack: string | null;
}

export function writeWireError(thrown: unknown): WireError {
  const error = explainFull(thrown);
  return {
    code: error instanceof StithyError ? error.code : null,
    kind: error instanceof StithyError ? error.kind : "fault",
    name: error instanceof Error ? error.name : "Error",
    message: messageOf(error),
    data: error instanceof StithyError ? cloneable(error.data) : {},
    stack: error instanceof Error ? (error.stack ?? null) : null,
  };
}

/**
 * The error again: a StithyError keeps its kind, code, message and data, and is an instance of its class when `classes`
 * knows the code.
 */
export function parseWireError(wire: WireError, classes: ReadonlyMap<string, ErrorClass>): Error {
  if (wire.code === null) {
    const error = new Error(wire.message);
    error.name = wire.name;
    if (wire.stack !== null) {
      error.stack = wire.stack;
    }
    return error;
  }
  if (wire.kind === "full") {
    // It was noted in the thread that it comes from.
    noteFull();
  }
  const error = new StithyError(wire.kind, wire.code, wire.message, wire.data);
  const known = classes.get(wire.code);
  if (known !== undefined) {
    // The classes' own constructors take what the message was made of, which did not travel; their fields are in data.
    Object.setPrototypeOf(Object.assign(error, wire.data), known.prototype);
  }
  error.name = wire.name;
  return error;
}

/** Any class of errors, whatever its constructor takes. */
export interface ErrorClass {
  readonly prototype: StithyError;
}

/** Data that cannot be cloned must not turn a clear error into a broken message. */
function cloneable(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return structuredClone(data);
  } catch {
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, String(value)]));
  }
}
