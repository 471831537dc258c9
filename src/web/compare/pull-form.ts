import type { RepositoryAccess } from "../../auth/subject.ts";
import { createPull } from "../../domain/work/pulls/create-pull.ts";
import type { ComparedSide } from "../../domain/work/pulls/comparison.ts";
import { findOpenNumber } from "../../domain/work/pulls/queries.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { longestTitle } from "../../domain/work/issues/create-issue.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { commitTitle } from "../repos/commit-title.ts";
import type { Visit } from "../visit.ts";

const longestBody = 60_000;
const fields = ["title", "body"];

/** The open pull request of two branches; null if there is none, or if the sides are no branches. */
export async function findPullOf(forge: Forge, base: ComparedSide, head: ComparedSide): Promise<number | null> {
  return base.revision.kind !== "branch" || head.revision.kind !== "branch"
    ? null
    : findOpenNumber(forge.database.db, {
        baseRepositoryId: base.access.repository.id,
        baseBranch: base.revision.name,
        headRepositoryId: head.access.repository.id,
        headBranch: head.revision.name,
        flow: "branch",
      });
}

/** The title and the text that a pull request begins with: those of its only commit, else the name of its branch. */
function proposal(commits: readonly CommitRecord[], total: number, branch: string): { title: string; body: string } {
  const [only] = commits;
  if (total !== 1 || only === undefined) {
    const words = branch.slice(branch.lastIndexOf("/") + 1).replaceAll(/[-_]+/g, " ");
    return { title: words.slice(0, 1).toUpperCase() + words.slice(1), body: "" };
  }
  const title = commitTitle(only.message);
  return {
    title: clip(title, longestTitle),
    body: clip(only.message.slice(only.message.indexOf("\n") + 1 || only.message.length).trim(), longestBody),
  };
}

/** The form that opens a pull request of what is compared. */
export function pullForm(
  visit: Visit,
  address: string,
  { commits, total, branch }: { commits: readonly CommitRecord[]; total: number; branch: string },
  refused: Refusal | null,
): Html {
  const { form } = visit;
  const proposed = proposal(commits, total, branch);
  const text = (name: "title" | "body") => (refused === null ? proposed[name] : form.text(name));
  return html`<form class="form wide-form" id="open" method="post" action="${address}">${visit.formField()}
${note(visit, "bad", problemAbove(refused, fields))}
${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} dir="auto" value="${text("title")}" maxlength="${longestTitle}" required>`)}
${field(refused, { name: "body", label: "Description", hint: "Markdown. “Closes #1” closes an issue with the merge." }, (attributes) => html`<textarea ${attributes} dir="auto" rows="6" maxlength="${longestBody}">${text("body")}</textarea>`)}
<button class="button main">${icon(visit, "git-pull-request")}Create pull request</button></form>`;
}

/** Opens the pull request that the form asks for; returns its number. Throws what createPull does. */
export async function openPull(
  forge: Forge,
  doer: UserDoer,
  visit: Visit,
  access: RepositoryAccess,
  { base, head }: { base: string; head: string },
): Promise<number> {
  const { form } = visit;
  const { number } = await createPull(forge, doer, access, {
    title: form.text("title"),
    body: form.lines("body"),
    base,
    head,
    assignees: [],
    labels: [],
    milestone: null,
    dueAt: null,
  });
  return number;
}

/** Leads to the pull request that there is for what is compared. */
export function pullNote(visit: Visit, access: RepositoryAccess, number: number): Html | null {
  const href = issueLink(visit.root, access, { isPull: true, number });
  return note(visit, "info", html`<a href="${href}">Pull request #${number}</a> is open for these branches.`);
}
