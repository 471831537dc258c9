import { formMessage } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { note } from "../parts/note.ts";
import type { Page, Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** What a refused form is told. Its status is that of the page. */
export interface Refused {
  readonly status: number;
  readonly message: string;
}

/** Does what a form asks for. Where that is refused, shows the form's page again. Throws what is our fault. */
export async function tryForm(act: () => Promise<Redirect>, again: (refused: Refused) => Page | Promise<Page>) {
  try {
    return await act();
  } catch (error) {
    const refused = formMessage(error);
    if (refused === null) {
      throw error;
    }
    return again({ ...refused, message: `${refused.message}.` });
  }
}

/** A field for the name of a branch or tag, with what is wrong with it. */
export function nameField(label: string, value: string, refused: Refused | null): Html {
  const invalid = refused === null ? null : html` aria-invalid="true"`;
  return html`<label for="name">${label}</label><input class="mono" id="name" name="name" value="${value}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" required aria-describedby="name-problem"${invalid}><p class="problem" id="name-problem">${refused?.message ?? null}</p>`;
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
    refused: Refused | null;
  },
): Page {
  const { title, of, above, action, fields, button, refused } = options;
  return {
    ...(refused === null ? {} : { status: refused.status === 400 ? 422 : refused.status }),
    title: `${title} · ${of}`,
    place: { tab: "code" },
    body: html`<div class="title"><h1>${title}</h1></div>${refused !== null && note(visit, "bad", refused.message)}${above}
      <form class="form" method="post" action="${action}">${visit.formField()}${fields}<button class="button main">${button}</button></form>`,
  };
}
