import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { editIssue } from "../../domain/work/issues/edit-issue.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { deleteHeadBranch, restoreHeadBranch } from "../../domain/work/merges/head-branch.ts";
import { revertPull } from "../../domain/work/merges/revert-pull.ts";
import { updatePull } from "../../domain/work/merges/update-pull.ts";
import { draftTitle, readyTitle } from "../../domain/work/pulls/draft.ts";
import { editPull } from "../../domain/work/pulls/edit-pull.ts";
import { requestReviews } from "../../domain/work/reviews/request-reviews.ts";
import { issueLink } from "../links.ts";
import { movesPulls, writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { runAct } from "./run-act.ts";

const participates = { may: { on: "repository", do: "participate", unit: "pulls" }, signedIn: true } as const;

/** How the base comes into the head: as the button says, else as the repository does. */
function updateStyle({ form }: Visit, { repository }: RepositoryAccess): "merge" | "rebase" {
  const asked = form.text("style");
  return asked === "merge" || asked === "rebase" ? asked : repository.defaultUpdateStyle;
}

/** The forms on the pages of a pull request. */
export function pullActPages(forge: Forge, page: DeclarePage): PageRoute[] {
  /** Gives it the title that `titleOf` makes of the one that it has. */
  async function retitle(
    doer: UserDoer,
    access: RepositoryAccess,
    number: number,
    titleOf: (title: string, prefixes: readonly string[]) => string,
  ): Promise<void> {
    const { title, contentVersion } = await getIssueRow(forge, access, number);
    const wanted = titleOf(title, forge.config.pulls.draft_prefixes);
    if (wanted !== title) {
      await forge.change(doer, (work) => editIssue(work, access, number, { title: wanted, contentVersion }));
    }
  }

  return [
    page("POST", "/:owner/:repo/pulls/:index/update", movesPulls, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        await updatePull(forge, doer, access, number, updateStyle(visit, access));
        return "The branch has what its base has.";
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/reviewers", participates, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        const users = [visit.form.text("reviewer").trim()];
        await forge.change(doer, (work) => requestReviews(work, access, number, { users, teams: [] }));
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/ready", participates, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, (number) => retitle(doer, access, number, readyTitle)),
    ),
    page("POST", "/:owner/:repo/pulls/:index/draft", participates, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, (number) => retitle(doer, access, number, draftTitle)),
    ),
    page("POST", "/:owner/:repo/pulls/:index/base", movesPulls, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        const base = visit.form.text("base").trim();
        await forge.change(doer, (work) => editPull(work, access, number, { base }));
        return `The base is ${base} now.`;
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/maintainers", movesPulls, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        const allowMaintainerEdit = visit.form.text("allow") === "1";
        await forge.change(doer, (work) => editPull(work, access, number, { allowMaintainerEdit }));
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/branch/delete", writesCode, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        const branch = await deleteHeadBranch(forge, doer, access, number);
        return `The branch ${branch} is deleted.`;
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/branch/restore", writesCode, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        const branch = await restoreHeadBranch(forge, doer, access, number);
        return `The branch ${branch} is there again.`;
      }),
    ),
    page("POST", "/:owner/:repo/pulls/:index/revert", writesCode, ({ visit, doer, repository: access }) =>
      runAct(forge, visit, access, async (number) => {
        const made = await revertPull(forge, doer, access, number);
        return new Redirect(
          issueLink(visit.root, access, made),
          `This pull request takes #${number} back. Merge it to do so.`,
        );
      }),
    ),
  ];
}
