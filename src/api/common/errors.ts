import { TooManyFailedSignIns } from "../../auth/failed-sign-ins.ts";
import { describeError, findOutage, findOvertaken } from "../../db/pg-errors.ts";
import { DeletedMeanwhile } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { findDamage } from "../../domain/packs/find-damage.ts";
import { TooManyMails } from "../../domain/users/mail-allowance.ts";
import { StithyError, messageOf } from "../../lib/errors.ts";

/**
 * The one place where errors of the domain get their HTTP status. Keys are the codes of StithyError.
 * A code that is missing here is a fault of ours: 500, and logged.
 */
const statuses: Readonly<Record<string, number>> = {
  "invalid-input": 422,
  "malformed-body": 400,
  "malformed-address": 400,
  "unknown-archive-format": 400,
  "body-too-large": 413,
  "invalid-credentials": 401,
  "sign-in-required": 401,
  "second-factor-required": 401,
  "invalid-code": 401,
  "password-change-required": 403,
  "too-many-failed-sign-ins": 429,
  "too-many-mails": 429,
  "sign-in-busy": 503,
  "scope-missing": 403,
  "sudo-forbidden": 403,
  "sudo-unknown": 404,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "method-not-allowed": 405,
  "repository-archived": 423,
  "name-taken": 422,
  "email-taken": 422,
  "invalid-image": 400,
  "unrenderable-text": 422,
  "renderer-busy": 503,
  "token-name-taken": 400,
  "invalid-application": 400,
  "invalid-scope": 400,
  "refs-refused": 409,
  "branch-moved": 409,
  "content-mismatch": 422,
  "patch-refused": 422,
  "empty-repository": 409,
  "deleted-meanwhile": 503,
  "packs-replaced": 503,
  "engine-busy": 503,
  "engine-timeout": 503,
  "storage-full": 507,
};

/** Nobody is signed in where somebody must be. Clients of the family look for these words. */
export class SignInRequired extends StithyError {
  constructor() {
    super("sign-in-required", "A token is required: token is required to call this operation");
  }
}

export class ScopeMissing extends StithyError {
  constructor(needed: string) {
    super("scope-missing", `The token does not have the required scope: ${needed}`, { needed });
  }
}

/** The body of every error, and the headers that belong to some. Never a stack trace. */
export function errorResponse(forge: Forge, request: Request, error: unknown): Response {
  const known = error instanceof StithyError ? statuses[error.code] : undefined;
  if (known !== undefined) {
    return response(forge, known, messageOf(error), headersOf(error));
  }
  const { pathname } = new URL(request.url);
  const damage = findDamage(error);
  const outage = damage === null ? findOutage(error) : null;
  if (outage !== null) {
    forge.log.error({ method: request.method, path: pathname, ...describeError(error) }, "The database is out of order");
    return response(forge, 503, outage, { "retry-after": "2" });
  }
  const overtaken = findOvertaken(error);
  if (overtaken !== null) {
    forge.log.warn({ method: request.method, path: pathname, ...describeError(error) }, "A request was overtaken by another one");
    return response(forge, 503, overtaken, { "retry-after": "1" });
  }
  forge.log.error({ method: request.method, path: pathname, ...describeError(error) }, "A request failed");
  return response(forge, 500, damage ?? "Something went wrong on the server; its log says what", {});
}

function response(forge: Forge, status: number, message: string, headers: Record<string, string>): Response {
  return Response.json({ message, url: forge.addresses.documentation() }, { status, headers });
}

function headersOf(error: unknown): Record<string, string> {
  if (error instanceof TooManyFailedSignIns || error instanceof TooManyMails) {
    return { "retry-after": String(error.retryAfterSeconds) };
  }
  if (error instanceof DeletedMeanwhile) {
    return { "retry-after": "1" };
  }
  if (error instanceof StithyError && statuses[error.code] === 401) {
    const code = ["second-factor-required", "invalid-code"].includes(error.code) ? { "x-gitea-otp": "required", "x-forgejo-otp": "required" } : {};
    return { "www-authenticate": 'Bearer realm="Stithy"', ...code };
  }
  return {};
}
