import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { isShown } from "../../domain/repos/attachments/file-kind.ts";
import { filesNamedIn } from "../../domain/work/issues/loose-files.ts";
import { html, type Html } from "../html.ts";
import { avatar, letterAvatar, type Pictured } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { fileSize } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { userName } from "../parts/person.ts";

/** The text of an issue or one of its comments, with all that is shown of it. */
export interface ShownText {
  /** The id of the place on the page, which addresses name. */
  readonly place: string;
  /** null: they are gone, wrote on another server, or are unknown to the visitor. */
  readonly author: Pictured | null;
  readonly authorName: string;
  /** A word on what the author is here, such as "Author". */
  readonly role: string | null;
  readonly createdAt: Date;
  /** Where its edits are shown; null: it is as it was written. */
  readonly history: string | null;
  readonly text: Html;
  /** The code that it is about. */
  readonly about: Html | null;
  readonly files: readonly AttachmentRow[];
  readonly reactions: Html | null;
  /** What else can be done with it. */
  readonly menu: Html | null;
  /** Where the text is edited; null: the visitor may not. */
  readonly editHref: string | null;
}

/** The files of a text that it does not show or link to by itself. */
export function filesBeside(files: readonly AttachmentRow[], text: string): readonly AttachmentRow[] {
  const named = filesNamedIn(text);
  return files.filter(({ uuid }) => !named.has(uuid));
}

function fileOf(visit: Visit, pixels: number, row: AttachmentRow): Html {
  const { uuid, name, bytes, width, height } = row;
  const href = `${visit.root}/attachments/${uuid}`;
  return isShown(row, pixels)
    ? html`<a href="${href}"><img src="${href}" alt="${name}" width="${width}" height="${height}" loading="lazy"></a>`
    : html`<a class="line" href="${href}">${icon(visit, "file")}<span class="cut">${name}</span><span class="faint">${fileSize(bytes)}</span></a>`;
}

/** `pixels`: the largest width and height of a picture that is shown. */
export function commentPanel(visit: Visit, pixels: number, shown: ShownText): Html {
  const { place, author, authorName, role, createdAt, history, text, about, files, reactions, menu, editHref } = shown;
  const picture = author === null ? letterAvatar(authorName, authorName, "l") : avatar(visit, author, "l");
  const name = author === null ? html`<b>${authorName}</b>` : userName(visit, author);
  return html`<li id="${place}">${picture}<article class="panel comment" aria-label="${authorName}"><header>${name}${role !== null && html`<span class="tag">${role}</span>`}<a class="soft" href="#${place}">${ago(visit, createdAt)}</a>${history !== null && html`<a class="faint" href="${history}">edited</a>`}<span class="grow"></span>${editHref !== null && html`<a class="button bare s icon" href="${editHref}" aria-label="Edit the text of ${authorName}">${icon(visit, "pencil")}</a>`}${menu}</header>
    ${about}<div class="document" dir="auto">${text}</div>${files.length > 0 && html`<div class="files-of">${files.map((one) => fileOf(visit, pixels, one))}</div>`}${reactions}</article></li>`;
}
