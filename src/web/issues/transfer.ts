import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { completeIssues, type IssueRow } from "../../domain/work/issues/queries.ts";
import { findCounterparts, transferIssue, type Counterparts } from "../../domain/work/transfers/transfer-issue.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { alsoOnRepository } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { readNumber } from "./discussion.ts";

const writesIssues = { may: { on: "repository", do: "write", unit: "issues" }, signedIn: true } as const;

/** Where an issue is to go, and what of it has a place there. */
interface Planned {
  readonly to: RepositoryAccess;
  readonly counterparts: Counterparts;
}

function told({ to, counterparts }: Planned, from: RepositoryAccess): Html {
  const { lostLabels, lostMilestone } = counterparts;
  const shown = from.repository.private && !to.repository.private;
  return html`<div class="document"><ul>
    <li>Its comments, files, reactions, edits, times and dependencies come along, and its old address leads to the new one.</li>
    <li>Nobody is assigned to it there, and it has no branch. Its labels, milestones and assignees of the past are not in its timeline any more.</li>
    ${lostLabels.length > 0 && html`<li>${lostLabels.length === 1 ? "This label does" : "These labels do"} not exist there: <b dir="auto">${lostLabels.join(", ")}</b></li>`}
    ${lostMilestone !== null && html`<li>This milestone does not exist there: <b dir="auto">${lostMilestone}</b></li>`}
    ${shown && html`<li><b>Everybody can read it there</b>: this repository is private, and that one is not.</li>`}</ul></div>`;
}

function transferPage(
  visit: Visit,
  access: RepositoryAccess,
  row: IssueRow,
  { name, planned, refused }: { name: string; planned: Planned | null; refused: Refusal | null },
): Page {
  const address = `${issueFormsLink(visit.root, access, row)}/transfer`;
  const back = html`<a class="button" href="${issueLink(visit.root, access, row)}">Cancel</a>`;
  const ask = html`<form class="form" action="${address}">${field(refused, { name: "to", label: "Repository", hint: "Its owner and its name, such as forge/stithy. You need write access to its issues." }, (attributes) => html`<input type="text" ${attributes} value="${name}" maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false" required>`)}<div class="line flow">${back}<button class="button main">Go on</button></div></form>`;
  return {
    status: refused?.status ?? 200,
    title: `Transfer #${row.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    body: html`<div class="stack"><h1>Transfer #${row.number}</h1><p dir="auto">${row.title}</p>${note(visit, "bad", problemAbove(refused, ["to"]))}${
      planned === null
        ? ask
        : html`<p>It goes to <b>${planned.to.owner.name}/${planned.to.repository.name}</b>.</p>${told(planned, access)}<form class="line flow" method="post" action="${address}">${visit.formField()}<input type="hidden" name="to" value="${name}">${back}<button class="button danger">Transfer the issue</button></form>`
    }</div>`,
  };
}

/** Reads the owner and the name of a repository. Throws InvalidInput. */
/** What is asked of the repository that the issue moves to. */
const writesThere = { on: "repository", do: "write", unit: "issues" } as const;

function readName(name: string): { owner: string; repository: string } {
  const [, owner, repository] = /^([^/\s]+)\/([^/\s]+)$/.exec(name) ?? [];
  if (owner === undefined || repository === undefined) {
    throw new InvalidInput(`"${clip(name, 80)}" is not the owner and the name of a repository`, "to");
  }
  return { owner, repository };
}

/** One that is hidden is refused as one that is not there. */
function refuseAtField(error: unknown): never {
  throw error instanceof NotFound
    ? new InvalidInput("There is no such repository, or you may not see it", "to")
    : error;
}

/** The pages that move an issue to another repository: they ask where to, and say what can come along. */
export function transferPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/issues/:index/transfer", writesIssues, async ({ visit, doer, repository: access }) => {
      const row = await getIssueRow(forge, access, readNumber(visit));
      const name = (visit.query.get("to") ?? "").trim();
      if (name === "") {
        return transferPage(visit, access, row, { name, planned: null, refused: null });
      }
      return tryForm(
        async () => {
          const { access: to } = await alsoOnRepository(forge, visit, doer, writesThere, readName(name)).catch(
            refuseAtField,
          );
          if (to.repository.id === access.repository.id) {
            throw new InvalidInput("The issue is in that repository already", "to");
          }
          const [found] = await completeIssues(forge.database.db, visit, [row]);
          const counterparts = await findCounterparts(forge.database.db, found ?? { labels: [], milestone: null }, to);
          return transferPage(visit, access, row, { name, planned: { to, counterparts }, refused: null });
        },
        (refused) => transferPage(visit, access, row, { name, planned: null, refused }),
      );
    }),
    page("POST", "/:owner/:repo/issues/:index/transfer", writesIssues, async ({ visit, doer, repository: access }) => {
      const row = await getIssueRow(forge, access, readNumber(visit));
      const name = visit.form.text("to").trim();
      return tryForm(
        async () => {
          const also = await alsoOnRepository(forge, visit, doer, writesThere, readName(name)).catch(refuseAtField);
          const moved = await forge.change(also.doer, (work) => transferIssue(work, access, also.access, row.number));
          return new Redirect(
            issueLink(visit.root, also.access, moved),
            `It was #${row.number} of ${access.owner.name}/${access.repository.name}.`,
          );
        },
        (refused) => transferPage(visit, access, row, { name, planned: null, refused }),
      );
    }),
  ];
}
