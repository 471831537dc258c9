import type { RepositoryAccess } from "../../auth/subject.ts";
import { pageAtPath } from "../../domain/repos/wiki/page-name.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { wikiLink } from "../links.ts";
import { editor } from "../parts/editor.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { wikiFormLink, wikiPageLink } from "./open.ts";

const longestTitle = 250;
const longestMessage = 60_000;
const fieldsShown = ["title", "content", "message"];

/** What the form of a page holds. */
export interface WikiTyped {
  readonly title: string;
  readonly text: string;
  readonly message: string;
  /** The commit of the wiki whose text the editor saw. */
  readonly seen: string;
}

interface WikiFormPage {
  /** null: a new page. */
  readonly path: string | null;
  readonly typed: WikiTyped;
  readonly refused?: Refusal | null;
  readonly preview?: Html | null;
  /** What happened to the page, or to the text. */
  readonly news?: string | null;
  readonly status?: number;
  /** The page is not there any more, and the visitor is told so. */
  readonly isGone?: boolean;
}

/** The page with the form of a page of the wiki. */
export function wikiFormPage(forge: Forge, visit: Visit, access: RepositoryAccess, page: WikiFormPage): Page {
  const { path, typed, refused = null, preview = null, news = null, status = 200, isGone = false } = page;
  const { root } = visit;
  const title = path === null ? "New page" : `Edit ${pageAtPath(path).title}`;
  const action = path === null ? wikiFormLink(root, access, "_new") : wikiPageLink(root, access, "_edit", path);
  const back = path === null || isGone ? wikiFormLink(root, access, "_pages") : wikiLink(root, access, path);
  const gone = isGone || visit.form.text("gone") === "1";
  return {
    status: refused?.status ?? status,
    title: `${title} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "wiki" },
    body: html`<div class="stack"><h1 dir="auto">${title}</h1>${note(visit, "bad", problemAbove(refused, fieldsShown))}${note(visit, status === 409 ? "warn" : "info", news)}
      <form class="stack" method="post" action="${action}" enctype="multipart/form-data">${visit.formField()}<input type="hidden" name="seen" value="${typed.seen}">${gone && html`<input type="hidden" name="gone" value="1">`}
      ${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} value="${typed.title}" dir="auto" maxlength="${longestTitle}" required${typed.title === "" && html` autofocus`}>`)}
      ${editor(visit, { name: "content", label: "Text", text: typed.text, problem: refused?.field === "content" ? refused.message : null }, preview)}
      <p class="hint">[[Page]] and [[words|Page#Section]] are links to pages of this wiki.</p>
      ${field(
        null,
        {
          name: "files",
          label: "Pictures and other files",
          hint: `They are committed with the page, to the folder images, and linked at its end. At most ${fileSize(forge.config.api.content_limit_bytes)} together.${refused === null ? "" : " Choose them again: a browser does not keep them."}`,
        },
        (attributes) => html`<input type="file" ${attributes} multiple>`,
      )}
      ${field(refused, { name: "message", label: "What you changed", hint: "The message of the commit. It may be empty." }, (attributes) => html`<input type="text" ${attributes} value="${typed.message}" dir="auto" maxlength="${longestMessage}">`)}
      <div class="line flow end"><a class="button" href="${back}">Cancel</a><button class="button main">${path === null ? "Create the page" : "Save the page"}</button></div></form></div>`,
  };
}
