import { StithyError, type ErrorKind } from "../lib/errors.ts";

/** The HTTP status of each kind of error; null for a fault, which is logged and answered with 500. */
const statuses: Readonly<Record<ErrorKind, number | null>> = {
  absent: 404,
  unauthenticated: 401,
  forbidden: 403,
  invalid: 422,
  malformed: 400,
  conflict: 409,
  "too-large": 413,
  "too-many": 429,
  "too-slow": 408,
  busy: 503,
  full: 507,
  cancelled: 408,
  fault: null,
};

/**
 * Returns the HTTP status of an error, or null for a fault of the server and for whatever was not thrown on purpose.
 * `exceptions` are the codes whose status differs from their kind's on the surface that asks.
 */
export function statusOf(error: unknown, exceptions: Readonly<Record<string, number>> = {}): number | null {
  return error instanceof StithyError ? (exceptions[error.code] ?? statuses[error.kind]) : null;
}
