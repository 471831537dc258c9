import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { MilestoneRow } from "../../domain/work/issues/queries.ts";
import { findCourse } from "../../domain/work/milestones/queries.ts";
import { html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { burnUp } from "./burn-up.ts";
import { issueList } from "./list-view.ts";
import { askedQuery, ofMilestone } from "./listed.ts";
import { milestoneFacts, progress } from "./milestone-parts.ts";
import { renderComments } from "./texts.ts";

/** The page of a milestone: how far it is, and its issues and pull requests. `writes`: the visitor may change it. */
export async function milestonePage(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  row: MilestoneRow,
  writes: boolean,
): Promise<Page> {
  const address = `${repositoryLink(visit.root, access)}/milestones/${row.id}`;
  const [[about], course, list] = await Promise.all([
    row.description === "" ? [] : renderComments(forge, visit, access, [row.description]),
    findCourse(forge.database.db, row, row.closedAt ?? new Date(visit.now)),
    issueList(forge, visit, ofMilestone(visit, access, row), askedQuery(visit), null),
  ]);
  const acts =
    writes &&
    html`<form class="line flow" method="post" action="${address}/state">${visit.formField()}<a class="button" href="${address}/edit">${icon(visit, "pencil")}Edit</a><button class="button" name="state" value="${row.closedAt === null ? "closed" : "open"}">${row.closedAt === null ? "Close" : "Reopen"}</button><details class="change"><summary><span class="button danger">Delete</span></summary><div class="stack s"><p>Its issues stay, and have no milestone.</p><button class="button s danger" name="state" value="deleted">Delete the milestone</button></div></details></form>`;
  return {
    title: `${row.title} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    body: html`<div class="stack"><div class="split start flow"><h1 dir="auto">${row.title}</h1>${acts}</div>${milestoneFacts(visit, row)}${progress(row)}${course !== null && burnUp(visit, course, row.dueAt)}${about !== undefined && html`<div class="document" dir="auto">${about}</div>`}
      <section class="stack s" aria-labelledby="milestone-issues"><h2 class="large" id="milestone-issues">Issues and pull requests</h2>${list}</section></div>`,
  };
}
