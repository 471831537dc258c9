import { createBranch } from "../../domain/git/branches/create-branch.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { editIssue } from "../../domain/work/issues/edit-issue.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { issueLink } from "../links.ts";
import { writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import { discussionPage, readNumber } from "./discussion.ts";

/** The form that makes a branch for an issue, which is linked with it. */
export function issueBranchPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("POST", "/:owner/:repo/issues/:index/branch", writesCode, async ({ visit, doer, repository: access }) => {
      const row = await getIssueRow(forge, access, readNumber(visit));
      const name = visit.form.text("name").trim();
      return tryForm(
        async () => {
          await createBranch(forge, doer, access, { name });
          await forge.change(doer, (work) => editIssue(work, access, row.number, { ref: name }));
          return new Redirect(issueLink(visit.root, access, row), `The branch ${name} is made.`);
        },
        (refused) =>
          discussionPage(forge, visit, access, row, {
            text: "",
            refused: { ...refused, field: "branch" },
            preview: null,
          }),
      );
    }),
  ];
}
