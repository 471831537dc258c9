import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { note } from "../parts/note.ts";
import { problemAbove } from "../parts/field.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** Whether a refusal is about the name: it cannot be one, or it is taken. Any other is told above the form. */
function isOfName(refused: Refusal | null): boolean {
  return refused !== null && (refused.field !== null || refused.status === 409);
}

/** A field for the name of a branch or tag, with what is wrong with it. */
export function nameField(label: string, value: string, refused: Refusal | null): Html {
  const problem = isOfName(refused) ? `${refused?.message}.` : null;
  return html`<label for="name">${label}</label><input class="mono" id="name" name="name" value="${value}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" required aria-describedby="name-problem"${problem !== null && html` aria-invalid="true"`}><p class="problem" id="name-problem">${problem}</p>`;
}

/** A page with one form. */
export function formPage(
  visit: Visit,
  options: {
    title: string;
    of: string;
    above?: Html;
    action: string;
    fields: Html;
    button: string;
    refused: Refusal | null;
  },
): Page {
  const { title, of, above, action, fields, button, refused } = options;
  return {
    ...(refused === null ? {} : { status: refused.status === 400 ? 422 : refused.status }),
    title: `${title} · ${of}`,
    place: { tab: "code" },
    body: html`<div class="title"><h1>${title}</h1></div>${note(visit, "bad", isOfName(refused) ? null : problemAbove(refused, []))}${above}
      <form class="form" method="post" action="${action}">${visit.formField()}${fields}<button class="button main">${button}</button></form>`,
  };
}
