import { TooManyFailedSignIns } from "../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../db/pg-errors.ts";
import type { Forge } from "../domain/forge.ts";
import { StithyError, messageOf } from "../lib/errors.ts";
import { html } from "./html.ts";
import type { Page } from "./respond.ts";

/** A form that no page of this server made for this browser, or made for another one. */
export class FormRefused extends StithyError {
  constructor() {
    super("form-refused", "The form was not sent by a page of this server, or that page is too old: go back, load it again and send it once more");
  }
}

/** The statuses of what goes wrong on pages. A code that is missing here is a fault of ours: 500, and logged. */
const statuses: Readonly<Record<string, number>> = {
  "invalid-input": 422,
  "invalid-scope": 422,
  "invalid-application": 422,
  "token-name-taken": 422,
  "malformed-body": 400,
  "malformed-address": 400,
  "body-too-large": 413,
  "invalid-credentials": 401,
  "invalid-code": 401,
  "too-many-failed-sign-ins": 429,
  "sign-in-busy": 503,
  "form-refused": 403,
  "password-change-required": 403,
  "mail-link-invalid": 400,
  "email-taken": 409,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "deleted-meanwhile": 503,
  "renderer-busy": 503,
  "packs-replaced": 503,
  "engine-busy": 503,
  "engine-timeout": 503,
};

const titles: Readonly<Record<number, string>> = { 403: "This is not allowed", 429: "Too many attempts", 500: "Something went wrong", 503: "Try again in a moment" };

/** The message of an error that a page may show beside its form; null for a fault of ours. */
export function formMessage(error: unknown): { status: number; message: string } | null {
  const status = error instanceof StithyError ? statuses[error.code] : undefined;
  return status === undefined ? null : { status, message: messageOf(error) };
}

/** The same for what is not there and for what this visitor may not know of. */
export function notFoundPage(root: string, here: string | null): Page {
  const signIn = here === null ? null : html`<p>If it should be there, you may have to <a href="${root}/user/login?${new URLSearchParams({ redirect_to: here }).toString()}">sign in</a>.</p>`;
  return { status: 404, title: "Not found", body: html`<h1>There is nothing here</h1><p>The address leads to nothing that you can see.</p>${signIn}` };
}

export function errorPage(forge: Forge, request: Request, error: unknown): Page {
  const known = formMessage(error);
  if (known !== null) {
    const { status, message } = known;
    const headers = error instanceof TooManyFailedSignIns ? { "retry-after": String(error.retryAfterSeconds) } : {};
    return { status, title: titles[status] ?? "This did not work", body: html`<h1>${titles[status] ?? "This did not work"}</h1><p>${message}.</p>`, headers };
  }
  const outage = findOutage(error);
  forge.log.error({ method: request.method, path: new URL(request.url).pathname, ...describeError(error) }, outage === null ? "A page failed" : "The database is out of order");
  const status = outage === null ? 500 : 503;
  const text = outage ?? "Something went wrong on the server; its log says what";
  return { status, title: titles[status] ?? "", body: html`<h1>${titles[status]}</h1><p>${text}.</p>`, headers: status === 503 ? { "retry-after": "2" } : {} };
}
