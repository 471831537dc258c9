import { TooManyFailedSignIns } from "../../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../../db/pg-errors.ts";
import { DeletedMeanwhile, Overtaken, SignInRequired } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findDamage } from "../../domain/git/packs/find-damage.ts";
import { MergeRefused } from "../../domain/work/merges/merge-errors.ts";
import { TooManyMails } from "../../domain/identity/users/mail-allowance.ts";
import { statusOf } from "../../http/status-of.ts";
import { hasLeft } from "../../http/has-left.ts";
import { StithyError, messageOf } from "../../lib/errors.ts";
import { Busy } from "../../lib/fair-share.ts";

/** The codes whose status differs from that of their kind (`http/status-of.ts`), because clients of Gitea and Forgejo expect it. */
const exceptions: Readonly<Record<string, number>> = {
  "method-not-allowed": 405,
  "merge-refused": 405,
  "tag-protected": 405,
  "repository-archived": 423,
  "name-taken": 422,
  "email-taken": 422,
  "token-name-taken": 400,
  "invalid-attachment": 400,
  "invalid-image": 400,
  "invalid-application": 400,
  "invalid-scope": 400,
  "invalid-wiki-page": 400,
  "wiki-page-exists": 400,
  "not-a-fork": 400,
  "open-dependencies": 412,
  "dependency-refused": 400,
  "too-many-pins": 400,
  "time-tracking-off": 400,
  "pull-merged": 412,
};

/** Clients of Gitea and Forgejo match this text. */
const tokenRequired = "A token is required: token is required to call this operation";

/** Returns the response for an error: `{ message, url }`, and headers such as Retry-After. It never contains a stack trace. */
export function errorResponse(forge: Forge, request: Request, error: unknown): Response {
  const known = statusOf(error, exceptions);
  if (error instanceof MergeRefused) {
    // The family's specification has no body here.
    return new Response(null, { status: 405, headers: { "x-merge-refused": headerText(error.message) } });
  }
  if (known !== null) {
    const message = error instanceof SignInRequired ? tokenRequired : messageOf(error);
    return response(forge, known, message, headersOf(error));
  }
  if (hasLeft(request, error)) {
    return response(forge, 408, "The connection was closed", {});
  }
  const { pathname } = new URL(request.url);
  const damage = findDamage(error);
  const outage = damage === null ? findOutage(error) : null;
  if (outage !== null) {
    forge.log.error(
      { method: request.method, path: pathname, ...describeError(error) },
      "The database is out of order",
    );
    return response(forge, 503, outage, { "retry-after": "2" });
  }
  forge.log.error({ method: request.method, path: pathname, ...describeError(error) }, "A request failed");
  return response(forge, 500, damage ?? "Something went wrong on the server; its log says what", {});
}

function response(forge: Forge, status: number, message: string, headers: Record<string, string>): Response {
  return Response.json({ message, url: forge.addresses.documentation() }, { status, headers });
}

/** A text as the value of a header: UTF-8, which clients read bytes as, without what a header cannot hold. */
function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- those are what a header cannot hold
  return Buffer.from(text.replaceAll(/[\x00-\x1f\x7f]+/g, " "), "utf8").toString("latin1");
}

function headersOf(error: unknown): Record<string, string> {
  if (error instanceof TooManyFailedSignIns || error instanceof TooManyMails) {
    return { "retry-after": String(error.retryAfterSeconds) };
  }
  if (error instanceof DeletedMeanwhile || error instanceof Overtaken) {
    return { "retry-after": "1" };
  }
  if (error instanceof Busy) {
    return { "retry-after": "5" };
  }
  if (error instanceof StithyError && error.kind === "unauthenticated") {
    const code = ["second-factor-required", "invalid-code"].includes(error.code)
      ? { "x-gitea-otp": "required", "x-forgejo-otp": "required" }
      : {};
    return { "www-authenticate": 'Bearer realm="Stithy"', ...code };
  }
  return {};
}
