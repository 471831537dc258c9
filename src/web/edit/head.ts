import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import type { Page } from "../respond.ts";
import type { Editing } from "./editing.ts";

/** The heading of a page that changes files, with the branch that it is for. */
export function editHead({ visit, access, branch }: Editing, title: string): Html {
  const address = sourceLink(visit.root, access, { kind: "branch", name: branch }, "");
  return html`<div class="tools"><h1>${title}</h1><a class="ref line" href="${address}">${icon(visit, "git-branch")}<span class="cut">${branch}</span></a></div>`;
}

/** The page for somebody who may commit nowhere. It says so before anything is typed. */
export function nowherePage(editing: Editing, title: string): Page {
  return {
    status: 403,
    title,
    place: { tab: "code" },
    body: html`${editHead(editing, title)}${empty(editing.visit, "lock", "You cannot change files here", editing.plan.why)}`,
  };
}
