import { clip } from "./show-value.ts";

/** A message may quote as much as a body; longer messages are cut. */
const longestMessage = 2000;

/**
 * The kinds of errors. Each surface maps every kind to its own answer (an HTTP status, an exit code, whether a client is
 * told), and names single codes only where their answer differs. `test/error-kinds.test.ts` fails for a kind that a
 * surface does not map.
 */
export const errorKinds = [
  /** The named thing does not exist, or the caller may not know that it does. */
  "absent",
  /** The caller has to sign in, or the credential is not valid. */
  "unauthenticated",
  /** The caller is known and may not do this. */
  "forbidden",
  /** The input is readable, but its values are not possible. */
  "invalid",
  /** The input cannot be read. */
  "malformed",
  /** It clashes with something that exists, or that changed meanwhile. */
  "conflict",
  /** It is larger than a limit allows. */
  "too-large",
  /** The caller has asked too often, or for too much at the same time. */
  "too-many",
  /** The caller sends or reads too slowly. */
  "too-slow",
  /** The server cannot do it at this moment; the same request may work later. */
  "busy",
  /** The server has no room left on its disk. */
  "full",
  /** Nobody waits for the answer any more. */
  "cancelled",
  /** A fault of the server, of its files or of its surroundings. It is logged; the caller is told that it happened. */
  "fault",
] as const;

export type ErrorKind = (typeof errorKinds)[number];

/**
 * The root of every error that the domain and the engine throw on purpose. `kind` is what surfaces map, `code` is stable
 * and names the precise case; the message is a sentence for a person, without a final period, of which 2,000
 * characters are kept. It knows no HTTP status.
 */
export class StithyError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(clip(message, longestMessage), options);
    this.name = new.target.name;
  }
}

/** An error that says what the caller sent wrong; `field` names the input where there is one. */
export class InvalidInput extends StithyError {
  constructor(
    message: string,
    readonly field?: string,
    options?: ErrorOptions,
  ) {
    super("invalid", "invalid-input", message, field === undefined ? {} : { field }, options);
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether what was thrown is for the log: the client hears only that something went wrong, or has left. */
export function isFault(error: unknown): boolean {
  return !(error instanceof StithyError) || error.kind === "fault" || error.kind === "cancelled";
}
