import type { RepositoryAccess } from "../../auth/subject.ts";
import { getNote } from "../../domain/git/notes/find-note.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { commitLink } from "../links.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note as banner } from "../parts/note.ts";
import { mayChange } from "../repos/may-change.ts";
import type { Visit } from "../visit.ts";

const shownNote = 60_000;

/** The note of a commit (git-notes(1)), and for those who may write the forms that change it. */
export async function noteSection(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  oid: string,
  refused: Refusal | null,
): Promise<Html | null> {
  const found = await getNote(forge, access.repository, oid, { files: false }, visit.request.signal).catch(
    (error: unknown) => {
      if (error instanceof NotFound) {
        return null;
      }
      throw error;
    },
  );
  const text = found === null ? null : clip(found.text, shownNote);
  const shown =
    text === null
      ? null
      : html`<section class="panel" aria-label="Note"><header>${icon(visit, "scroll-text")}<h2>Note</h2></header><p class="body message" dir="auto">${text}</p></section>`;
  if (!mayChange(visit, access)) {
    return shown;
  }
  const address = `${commitLink(visit.root, access, oid)}/notes`;
  const typed = refused === null ? (text ?? "") : visit.form.text("message");
  const remove =
    text === null
      ? null
      : html`<form class="inline" method="post" action="${address}/remove">${visit.formField()}<button class="button danger">Remove the note</button></form>`;
  return html`${shown}<details class="note-form"${refused !== null && html` open`}><summary class="soft small">${text === null ? "Add a note" : "Change the note"}</summary><form class="form" method="post" action="${address}">${visit.formField()}${banner(visit, "bad", problemAbove(refused, ["message"]))}
${field(refused, { name: "message", label: "Note", hint: "It is kept beside the commit, whose id stays." }, (attributes) => html`<textarea ${attributes} dir="auto" rows="4" required>${typed}</textarea>`)}
<button class="button main">Save the note</button></form>${remove}</details>`;
}
