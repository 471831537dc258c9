import type { OwnerRow } from "../../auth/subject.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { ownerLink } from "../links.ts";
import { avatar } from "./avatar.ts";
import { icon } from "./icon.ts";
import { empty } from "./note.ts";

function card(reader: Reader, owner: OwnerRow): Html {
  const { name, fullName, description, location } = owner;
  return html`<li class="person">${avatar(reader, owner, "l")}<div class="grow"><h2><a class="plain" href="${ownerLink(reader.root, name)}">${fullName === "" ? html`<b>${name}</b>` : html`<b dir="auto">${fullName}</b> <span class="count">${name}</span>`}</a></h2>
    ${description !== "" && html`<p class="cut soft" dir="auto">${description}</p>`}
    ${location !== "" && html`<div class="meta"><span dir="auto">${icon(reader, "map-pin")}${location}</span></div>`}</div></li>`;
}

/** Users or organizations; `none` says why there are none. */
export function peopleList(reader: Reader, rows: readonly OwnerRow[], none: string): Html {
  return rows.length === 0
    ? empty(reader, "user", "Nobody", none)
    : html`<ul class="people">${rows.map((owner) => card(reader, owner))}</ul>`;
}
