import { TooManyFailedSignIns } from "../auth/failed-sign-ins.ts";
import { describeError, findOutage } from "../db/pg-errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { statusOf } from "../http/status-of.ts";
import { hasLeft } from "../http/has-left.ts";
import { InvalidInput, StithyError, messageOf } from "../lib/errors.ts";
import { Busy } from "../lib/fair-share.ts";
import type { Place } from "./frame/place.ts";
import { html, type Html } from "./html.ts";
import type { Page } from "./respond.ts";
import type { Visit } from "./visit.ts";
import { CredentialRevoked } from "../domain/server/look-again.ts";

/** A form that no page of this server made for this browser, or made for another one. */
export class FormRefused extends StithyError {
  /** `advice` says what to do where the address of the page is the reason. */
  constructor(advice: string | null = null) {
    super(
      "forbidden",
      "form-refused",
      advice === null
        ? "The form was not sent by a page of this server, or that page is too old: go back, load it again and send it once more"
        : `The form was not sent by a page of this server. ${advice}`,
    );
  }
}

/** The codes whose status on pages differs from that of their kind (`http/status-of.ts`). */
const exceptions: Readonly<Record<string, number>> = {
  "repository-archived": 423,
  "mail-link-invalid": 400,
};

const titles: Readonly<Record<number, string>> = {
  403: "This is not allowed",
  423: "The repository is archived",
  429: "Too many requests",
  500: "Something went wrong",
  503: "Try again in a moment",
};

/** Why a form was refused. `field`: what is wrong, by the name that the API has for it; null: nothing in particular. */
export interface Refusal {
  status: number;
  message: string;
  field: string | null;
}

/** The message of an error that a page may show beside its form; null for a fault of ours. */
export function formMessage(error: unknown): Refusal | null {
  // The whole page is not theirs any more: they are sent to sign in (see preparePages).
  if (error instanceof CredentialRevoked) {
    return null;
  }
  const status = statusOf(error, exceptions);
  const field = error instanceof InvalidInput ? (error.field ?? null) : null;
  return status === null ? null : { status, message: messageOf(error), field };
}

/** A page that belongs to nothing: it shows neither the name nor the tabs of what its address names. */
const nowhere = { width: "narrow", crumbs: [], tabs: "none" } as const satisfies Place;

/** The page is the same for absent and for hidden things: only the address decides its text. */
export function notFoundPage({ root, here, actor, request }: Visit): Page {
  const signIn =
    actor !== null
      ? null
      : html`<p>If it should be there, you may have to <a href="${root}/user/login?${new URLSearchParams({ redirect_to: here }).toString()}">sign in</a>.</p>`;
  return {
    status: 404,
    title: "Not found",
    place: nowhere,
    body: html`<div class="empty"><h1>There is nothing here</h1><p>The address leads to nothing that you can see.</p>${signIn}${waysOut(root, request, 404)}</div>`,
  };
}

function waitOf(error: unknown): Record<string, string> {
  const seconds = error instanceof TooManyFailedSignIns ? error.retryAfterSeconds : error instanceof Busy ? 5 : null;
  return seconds === null ? {} : { "retry-after": String(seconds) };
}

/** What one can do about an error: ask again where that may help, or leave. */
function waysOut(root: string, request: Request, status: number): Html {
  const { pathname, search } = new URL(request.url);
  const mayHelp = request.method !== "POST" && (status === 429 || status >= 500);
  return html`<p class="line flow">${mayHelp && html`<a class="button main" href="${root}${pathname}${search}">Try again</a>`}<a class="button" href="${root}/">Go to the front page</a></p>`;
}

/** `isSignedIn`: whether signing in is no help. */
export function errorPage(forge: Forge, request: Request, error: unknown, isSignedIn = false): Page {
  const root = new URL(forge.addresses.own.base).pathname.replace(/\/$/, "");
  const known = formMessage(error);
  if (known !== null) {
    const { status, message } = known;
    const headers = waitOf(error);
    return {
      status,
      title: titles[status] ?? "This did not work",
      place: { width: "narrow" },
      body: html`<div class="empty"><h1>${titles[status] ?? "This did not work"}</h1><p>${message}.</p>${status === 403 && !isSignedIn && html`<p>You may have to <a href="${root}/user/login">sign in</a>.</p>`}${waysOut(root, request, status)}</div>`,
      headers,
    };
  }
  if (hasLeft(request, error)) {
    return { status: 408, title: "The connection was closed", body: html`` };
  }
  const outage = findOutage(error);
  forge.log.error(
    { method: request.method, path: new URL(request.url).pathname, ...describeError(error) },
    outage === null ? "A page failed" : "The database is out of order",
  );
  const status = outage === null ? 500 : 503;
  const text =
    outage ??
    `The server's log says what it was. If it stays, tell the administrator of this server: ${new Date().toISOString()}`;
  return {
    status,
    title: titles[status] ?? "",
    place: { width: "narrow" },
    body: html`<div class="empty"><h1>${titles[status]}</h1><p>${text}.</p>${waysOut(root, request, status)}</div>`,
    headers: status === 503 ? { "retry-after": "2" } : {},
  };
}
