import type { OwnerRow } from "../../auth/subject.ts";
import { clip } from "../../lib/show-value.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { ownerLink } from "../links.ts";
import { avatar, letterAvatar } from "./avatar.ts";

/** The most UTF-16 code units that a page shows of a name that a commit has. */
const shownName = 255;

/** The name of a user as a link to their page. */
export function userName({ root }: Reader, { name }: Pick<OwnerRow, "name">): Html {
  return html`<a class="plain" href="${ownerLink(root, name)}"><b>${name}</b></a>`;
}

/** A person whom a commit names: the user whose address it is, else the name that the commit has. */
export function committed(reader: Reader, user: OwnerRow | null, name: string): Html {
  return user === null
    ? html`${letterAvatar(name, name, "s")}<b class="cut">${clip(name, shownName)}</b>`
    : html`${avatar(reader, user)}${userName(reader, user)}`;
}
