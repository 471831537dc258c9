import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Compared, ComparedSide } from "../../domain/work/pulls/comparison.ts";
import { draftTitle } from "../../domain/work/pulls/draft.ts";
import { findOpenNumber } from "../../domain/work/pulls/queries.ts";
import { findPullTemplate } from "../../domain/work/issue-templates/find-pull-template.ts";
import { ownersOfChange } from "../../domain/work/reviews/ask-code-owners.ts";
import { openPull } from "../../domain/work/reviews/open-pull.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { longestTitle } from "../../domain/work/issues/create-issue.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { renderComments } from "../issues/texts.ts";
import { issueLink } from "../links.ts";
import { editor } from "../parts/editor.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { commitTitle } from "../repos/commit-title.ts";
import type { Visit } from "../visit.ts";
import { chosenFields, pullFields } from "./pull-fields.ts";

const longestBody = 60_000;
/** Titles of commits that a proposed text names. */
const mostTitles = 30;
const fields = ["title", "body", "reviewers", "milestone"];

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

interface Listed {
  /** The latest first. */
  readonly commits: readonly CommitRecord[];
  readonly total: number;
}

/**
 * The title and the text that a pull request begins with: those of its only commit; else the name of its branch, and the titles of its commits.
 * The template of the repository takes the place of titles.
 */
function proposal({ commits, total }: Listed, branch: string, template: string): { title: string; body: string } {
  const [only] = commits;
  if (total !== 1 || only === undefined) {
    const words = branch.slice(branch.lastIndexOf("/") + 1).replaceAll(/[-_]+/g, " ");
    const titles = commits
      .toReversed()
      .slice(0, mostTitles)
      .map(({ message }) => `- ${commitTitle(message)}`);
    const body = template === "" ? titles.join("\n") : template;
    return { title: words.slice(0, 1).toUpperCase() + words.slice(1), body: clip(body, longestBody) };
  }
  const own = only.message.slice(only.message.indexOf("\n") + 1 || only.message.length).trim();
  const body = [own, template].filter((part) => part !== "").join("\n\n");
  return { title: clip(commitTitle(only.message), longestTitle), body: clip(body, longestBody) };
}

/** Whether the visitor may let the maintainers of the base push to the head. */
function maySayWhoPushes({ base, head }: Compared): boolean {
  return head.access.repository.id !== base.access.repository.id && head.access.units.code >= accessModes.write;
}

/** The form that opens a pull request of what is compared. `refused`: why it was not opened; it shows what was typed then, and for a preview. */
export async function pullForm(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  address: string,
  { compared, listed, refused }: { compared: Compared; listed: Listed; refused: Refusal | null },
): Promise<Html> {
  const { form } = visit;
  const { signal } = visit.request;
  const isSent = form.has("title");
  const { view, before, head, base } = compared;
  const [template, owners] = await Promise.all([
    findPullTemplate(forge, access.repository, signal),
    ownersOfChange(forge, access.repository, {
      view,
      after: head.revision.commit,
      findBefore: () => Promise.resolve(before),
    }),
  ]);
  const [rest, previews] = await Promise.all([
    pullFields(forge, visit, access, owners, refused),
    form.text("preview") === "" ? [] : renderComments(forge, visit, access, [form.lines("body")]),
  ]);
  const proposed = proposal(listed, head.revision.name, template);
  const text = (name: "title" | "body") => (isSent ? form.text(name) : proposed[name]);
  const allows = isSent ? form.text("maintainers") !== "" : access.repository.defaultAllowMaintainerEdit;
  const maintainers =
    maySayWhoPushes(compared) &&
    html`<label class="choice"><input type="checkbox" name="maintainers" value="1"${allows && html` checked`}> Let maintainers of ${base.access.owner.name}/${base.access.repository.name} push to the branch</label>`;
  const canDraft = forge.config.pulls.draft_prefixes.length > 0;
  return html`<form class="form wide-form" id="open" method="post" action="${address}">${visit.formField()}
${note(visit, "bad", problemAbove(refused, fields))}
${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} dir="auto" value="${text("title")}" maxlength="${longestTitle}" required>`)}
${editor(visit, { name: "body", label: "Description", text: text("body"), problem: refused?.field === "body" ? refused.message : null }, previews[0] ?? null)}<p class="hint">“Closes #1” closes an issue with the merge.</p>
${rest}${maintainers}
<div class="line flow"><button class="button main">${icon(visit, "git-pull-request")}Create pull request</button>${canDraft && html`<button class="button" name="draft" value="1">${icon(visit, "git-pull-request-draft")}Create as a draft</button>`}</div></form>`;
}

/** Opens the pull request that the form asks for; returns its number. Throws what openPull does. */
export async function openFromForm(
  forge: Forge,
  doer: UserDoer,
  visit: Visit,
  access: RepositoryAccess,
  { compared, head }: { compared: Compared; head: string },
): Promise<number> {
  const { form } = visit;
  const title = form.text("title");
  const prefixes = forge.config.pulls.draft_prefixes;
  const { number } = await openPull(forge, doer, access, {
    title: form.text("draft") === "" || title.trim() === "" ? title : draftTitle(title, prefixes),
    body: form.lines("body"),
    base: compared.base.revision.name,
    head,
    dueAt: null,
    allowMaintainerEdit: maySayWhoPushes(compared) ? form.text("maintainers") !== "" : undefined,
    ...chosenFields(form),
  });
  return number;
}

/** Leads to the pull request that there is for what is compared. */
export function pullNote(visit: Visit, access: RepositoryAccess, number: number): Html | null {
  const href = issueLink(visit.root, access, { isPull: true, number });
  return note(visit, "warn", html`<a href="${href}">Pull request #${number}</a> is open for these branches.`);
}
