import { TooManyFailedSignIns } from "../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../db/pg-errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { findDamage } from "../domain/git/packs/find-damage.ts";
import { SecondFactorRequired } from "../auth/sign-in-errors.ts";
import { basicChallenge } from "../http/basic-challenge.ts";
import { statusOf } from "../http/status-of.ts";
import { hasLeft } from "../http/has-left.ts";
import { StithyError, messageOf } from "../lib/errors.ts";

/** A request that git is to show to its user: git prints a text/plain body after `remote:`. */
export class GitRefusal extends StithyError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super("forbidden", "git-refusal", message, { status });
  }
}

const tokenNeeded = "The account has two-factor authentication: use an access token in place of the password";

function text(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache", ...headers },
  });
}

function headersOf(forge: Forge, status: number, error: unknown): Record<string, string> {
  switch (status) {
    case 401:
      return { "www-authenticate": basicChallenge(forge.config.oauth) };
    case 429:
    case 503:
      return { "retry-after": String(error instanceof TooManyFailedSignIns ? error.retryAfterSeconds : 5) };
    default:
      return {};
  }
}

/** The one mapper of errors on git's surface. */
export function gitErrorResponse(forge: Forge, request: Request, error: unknown): Response {
  if (error instanceof GitRefusal) {
    return text(error.status, error.message, headersOf(forge, error.status, error));
  }
  const status = statusOf(error);
  if (status !== null) {
    return text(
      status,
      error instanceof SecondFactorRequired ? tokenNeeded : messageOf(error),
      headersOf(forge, status, error),
    );
  }
  if (request.signal.aborted || hasLeft(request, error)) {
    // Nobody is there to read an answer, and that somebody left is no fault.
    return text(408, "The connection was closed");
  }
  const damage = findDamage(error);
  const outage = damage === null ? findOutage(error) : null;
  if (outage !== null) {
    return text(503, outage, { "retry-after": "2" });
  }
  forge.log.error(
    { method: request.method, path: new URL(request.url).pathname, ...describeError(error) },
    "A git request failed",
  );
  return text(500, damage ?? "Something went wrong on the server; its log says what");
}
