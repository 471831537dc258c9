import type { OwnerRow } from "../../auth/subject.ts";
import { showsEmail, showsPronouns } from "../../domain/identity/owners/shown-fields.ts";
import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { html, type Html } from "../html.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { dayOf } from "../parts/time.ts";
import { createLink } from "../repos/create.ts";
import type { Visit } from "../visit.ts";

/** Who an owner is, at the top of their page; `beside` are the buttons that stand there. */
export function ownerHead(visit: Visit, owner: OwnerRow, beside: Html | null): Html {
  const { actor, subject } = visit;
  const website =
    parseWebAddress(owner.website) !== null &&
    html`<span>${icon(visit, "link")}<a rel="nofollow me" href="${owner.website}">${owner.website.replace(/^https?:\/\//, "")}</a></span>`;
  const email =
    showsEmail(owner, actor) &&
    html`<span>${icon(visit, "mail")}<a href="mailto:${owner.email}">${owner.email}</a></span>`;
  const pronouns =
    owner.pronouns !== "" && showsPronouns(owner, actor) && html`<span dir="auto">${owner.pronouns}</span>`;
  const create =
    isAllowed(subject, demandTo({ on: "owner", do: "create-repository" }, "read", [])) &&
    html`<a class="button main" href="${createLink(visit.root, owner.name)}">${icon(visit, "plus")}New repository</a>`;
  return html`<div class="owner-head">${avatar(visit, owner, "xl")}<div class="grow stack s"><h1>${owner.fullName === "" ? owner.name : html`<span dir="auto">${owner.fullName}</span> <span class="count">${owner.name}</span>`}</h1>
    ${owner.description !== "" && html`<p class="soft" dir="auto">${owner.description}</p>`}
    <div class="meta">${pronouns}${owner.location !== "" && html`<span dir="auto">${icon(visit, "map-pin")}${owner.location}</span>`}${website}${email}<span>since ${dayOf(visit, owner.createdAt)}</span>${owner.visibility !== "public" && html`<span>${icon(visit, "lock")}${owner.visibility}</span>`}</div></div><div class="line flow">${beside}${create}</div></div>`;
}
