import { InvalidCredentials } from "../auth/identify/identify.ts";
import { TooManyFailedSignIns } from "../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../db/pg-errors.ts";
import type { Forge } from "../domain/forge.ts";
import { findDamage } from "../domain/packs/find-damage.ts";
import { ProtocolError } from "../git/wire/protocol-error.ts";
import { PasswordChangeRequired, SecondFactorRequired } from "../auth/sign-in-errors.ts";
import { StithyError } from "../lib/errors.ts";

/** A request that git is to show to its user: git prints a text/plain body after `remote:`. */
export class GitRefusal extends StithyError {
  constructor(readonly status: number, message: string) {
    super("git-refusal", message, { status });
  }
}

const tokenNeeded = "The account has two-factor authentication: use an access token in place of the password";
const challenge = { "www-authenticate": 'Basic realm="Stithy", charset="UTF-8"' };

function text(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache", ...headers } });
}

/** The one mapper of errors on git's surface. */
export function gitErrorResponse(forge: Forge, request: Request, error: unknown): Response {
  if (error instanceof GitRefusal) {
    return text(error.status, error.message, error.status === 401 ? challenge : {});
  }
  if (error instanceof InvalidCredentials) {
    return text(401, error.message, challenge);
  }
  if (error instanceof SecondFactorRequired) {
    return text(401, tokenNeeded, challenge);
  }
  if (error instanceof PasswordChangeRequired) {
    return text(403, error.message);
  }
  if (error instanceof TooManyFailedSignIns) {
    return text(429, error.message, { "retry-after": String(error.retryAfterSeconds) });
  }
  if (error instanceof ProtocolError || (error instanceof StithyError && error.code === "malformed-address")) {
    return text(400, error.message);
  }
  if (error instanceof StithyError && error.code === "push-too-slow") {
    return text(408, error.message);
  }
  if (error instanceof StithyError && ["engine-busy", "engine-timeout", "sign-in-busy"].includes(error.code)) {
    return text(503, error.message, { "retry-after": "5" });
  }
  if (request.signal.aborted) {
    // Nobody is there to read an answer, and that somebody left is no fault.
    return text(408, "The connection was closed");
  }
  const damage = findDamage(error);
  const outage = damage === null ? findOutage(error) : null;
  if (outage !== null) {
    return text(503, outage, { "retry-after": "2" });
  }
  forge.log.error({ method: request.method, path: new URL(request.url).pathname, ...describeError(error) }, "A git request failed");
  return text(500, damage ?? "Something went wrong on the server; its log says what");
}
