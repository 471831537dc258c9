import { TooManyFailedSignIns } from "../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../db/pg-errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { LockExists } from "../domain/git/lfs/locks.ts";
import { basicChallenge } from "../http/basic-challenge.ts";
import { statusOf } from "../http/status-of.ts";
import { hasLeft } from "../http/has-left.ts";
import { StithyError, messageOf } from "../lib/errors.ts";
import { presentLock } from "./present-lock.ts";

/** A request that LFS refuses for a reason of its own protocol. */
export class LfsRefusal extends StithyError {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super("forbidden", "lfs-refusal", message, { status });
  }
}

export const lfsContentType = "application/vnd.git-lfs+json";

/** Answers in the words of LFS. */
export function lfsJson(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": lfsContentType, "cache-control": "no-store", ...headers },
  });
}

/** The one mapper of errors on LFS's surface. */
export function lfsErrorResponse(forge: Forge, request: Request, error: unknown): Response {
  const basic = basicChallenge(forge.config.oauth);
  // LFS clients look at a header of their own, so that no browser asks for a password; git's look at the usual one.
  const challenge = { "lfs-authenticate": basic, "www-authenticate": basic };
  const refuse = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
    lfsJson(
      { message, documentation_url: forge.addresses.documentation() },
      status,
      status === 401 ? { ...headers, ...challenge } : headers,
    );
  if (error instanceof LfsRefusal) {
    return refuse(error.status, error.message, error.headers);
  }
  if (error instanceof TooManyFailedSignIns) {
    return refuse(429, error.message, { "retry-after": String(error.retryAfterSeconds) });
  }
  if (error instanceof LockExists) {
    return lfsJson(
      { lock: presentLock(error.lock), message: error.message, documentation_url: forge.addresses.documentation() },
      409,
    );
  }
  const known = statusOf(error);
  if (known !== null) {
    return refuse(known, messageOf(error), [429, 503].includes(known) ? { "retry-after": "5" } : {});
  }
  if (request.signal.aborted || hasLeft(request, error)) {
    // Nobody is there to read an answer, and that somebody left is no fault.
    return refuse(408, "The connection was closed");
  }
  const outage = findOutage(error);
  if (outage !== null) {
    return refuse(503, outage, { "retry-after": "2" });
  }
  forge.log.error(
    { method: request.method, path: new URL(request.url).pathname, ...describeError(error) },
    "An LFS request failed",
  );
  return refuse(500, "Something went wrong on the server; its log says what");
}
