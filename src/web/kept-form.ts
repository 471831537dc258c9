import { NotFound, SignInRequired } from "../domain/spine/errors.ts";
import { CredentialRevoked } from "../domain/server/look-again.ts";
import { FormRefused, formMessage } from "./errors.ts";
import { formTokenField } from "./form-token.ts";
import { html, type Html } from "./html.ts";
import { note } from "./parts/note.ts";
import type { Page } from "./respond.ts";
import type { Visit } from "./visit.ts";

/** Shorter texts of one line are kept, but not shown. */
const shownLength = 40;

/** Why a form was refused before its handler saw it; null for a fault of ours. */
function reasonOf(error: unknown): { status: number; message: string } | null {
  if (error instanceof SignInRequired || error instanceof CredentialRevoked) {
    return { status: 401, message: "Your session has ended" };
  }
  if (error instanceof NotFound) {
    return { status: 404, message: "What you wanted to change is not there any more, or you may not see it" };
  }
  return formMessage(error);
}

/**
 * The page for a form with typed texts that was refused before its handler saw it: the session ended, or a right was lost. It
 * shows the texts, so that nothing is lost, and sends the form again. Only a form of a page of ours can be sent from here: another
 * site could write one. null if nothing was typed.
 */
export function keptPage(visit: Visit, signIn: string, error: unknown): Page | null {
  const fields = visit.form.entries().filter(([name]) => name !== formTokenField);
  const reason = fields.length === 0 ? null : reasonOf(error);
  if (reason === null) {
    return null;
  }
  const isOurs = visit.request.headers.get("sec-fetch-site") === "same-origin";
  const isSignedOut = reason.status === 401 || visit.actor === null;
  const next: Html | null = isSignedOut
    ? html`<p><a href="${visit.root}${signIn}" target="_blank" rel="noopener">Sign in in another tab</a>, then come back here and send it again.</p>`
    : null;
  const message =
    error instanceof FormRefused && isOurs
      ? "The page was older than your session. Look at what you typed, and send it again"
      : reason.message;
  return {
    status: reason.status,
    title: "Not sent",
    place: { crumbs: [], tabs: "none" },
    body: html`<div class="stack"><h1>Not sent</h1>${note(visit, "bad", `${message}.`)}${next}
      <p>Nothing of what you typed is lost:</p>
      <form class="stack" method="post" action="${visit.here}" enctype="multipart/form-data">${visit.formField()}${fields.map(keptField)}
      ${isOurs && html`<p><button class="button main">Send it again</button></p>`}</form></div>`,
  };
}

function keptField([name, value]: [string, string]): Html {
  return value.length < shownLength && !value.includes("\n")
    ? html`<input type="hidden" name="${name}" value="${value}">`
    : html`<label class="field">${name}<textarea class="mono" name="${name}" rows="12" dir="auto">
${value}</textarea></label>`;
}
