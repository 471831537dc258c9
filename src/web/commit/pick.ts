import type { RepositoryAccess } from "../../auth/subject.ts";
import { pickCommit } from "../../domain/git/branches/pick-commit.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { commitLink, compareLink, repositoryLink, sourceLink } from "../links.ts";
import { writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { getCommit } from "../repos/find-source.ts";
import type { Visit } from "../visit.ts";

const longestMessage = 60_000;
const offered = { size: 200, offset: 0 };

function messageOf({ oid, message }: CommitRecord, isRevert: boolean): string {
  return isRevert
    ? `Revert "${commitTitle(message)}"\n\nThis reverts commit ${oid}.\n`
    : `${clip(message.trimEnd(), longestMessage - 100)}\n\n(cherry picked from commit ${oid})\n`;
}

/** A field for the name of a branch. */
function branchInput(value: string, isRequired: boolean): (attributes: Html) => Html {
  return (attributes) =>
    html`<input type="text" ${attributes} class="mono" value="${value}" list="branches" maxlength="250" autocomplete="off" autocapitalize="none" spellcheck="false"${isRequired && html` required`}>`;
}

/** The forms that bring a commit's change to another branch, or take it back. */
export function pickPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function find(visit: Visit, { repository }: RepositoryAccess): Promise<CommitRecord> {
    const { view, commit } = await getCommit(forge, repository, visit.params["sha"] ?? "");
    return forge.git.commits.get(view, commit);
  }

  async function form(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const commit = await find(visit, access);
    const isRevert = visit.query.get("revert") === "true";
    const verb = isRevert ? "Revert" : "Cherry-pick";
    const branches = await forge.git.revisions.page(access.repository, "refs/heads/", offered);
    const text = (name: string, otherwise: string) => (refused === null ? otherwise : visit.form.text(name));
    const address = `${repositoryLink(visit.root, access)}/_cherrypick/${commit.oid}${isRevert ? "?revert=true" : ""}`;
    return {
      status: refused?.status ?? 200,
      title: `${verb} ${commit.oid.slice(0, 10)} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "code" },
      body: html`<div class="title"><h1>${verb}</h1><p dir="auto"><a href="${commitLink(visit.root, access, commit.oid)}">${commitTitle(commit.message)}</a></p></div>
${note(visit, "bad", problemAbove(refused, ["branch", "new_branch", "message"]))}
<form class="form" method="post" action="${address}">${visit.formField()}
${field(refused, { name: "branch", label: isRevert ? "On the branch" : "To the branch" }, branchInput(text("branch", access.repository.defaultBranch), true))}
${field(refused, { name: "new_branch", label: "New branch", hint: "Leave it empty to commit to the branch itself." }, branchInput(text("new_branch", ""), false))}
${field(refused, { name: "message", label: "Message" }, (attributes) => html`<textarea ${attributes} dir="auto" rows="8" maxlength="${longestMessage}" required>${text("message", messageOf(commit, isRevert))}</textarea>`)}
<datalist id="branches">${branches.rows.map(({ name }) => html`<option value="${name.slice("refs/heads/".length)}">`)}</datalist>
<button class="button main">${verb}</button></form>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/_cherrypick/:sha", writesCode, ({ visit, repository }) => form(visit, repository, null)),
    page("POST", "/:owner/:repo/_cherrypick/:sha", writesCode, async ({ visit, doer, repository: access }) => {
      const commit = await find(visit, access);
      const asked = visit.form;
      const branch = asked.text("branch").trim();
      return tryForm(
        async () => {
          const target = await pickCommit(forge, doer, access, {
            commit: commit.oid,
            kind: visit.query.get("revert") === "true" ? "revert" : "cherry-pick",
            branch,
            newBranch: asked.text("new_branch").trim(),
            message: asked.text("message"),
          });
          const said = `Committed to "${target}".`;
          return target === branch
            ? new Redirect(sourceLink(visit.root, access, { kind: "branch", name: target }, "", "commits"), said)
            : new Redirect(compareLink(visit.root, access, branch, target), said);
        },
        (refused) => form(visit, access, refused),
      );
    }),
  ];
}
