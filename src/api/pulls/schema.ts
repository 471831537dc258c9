import { t } from "elysia";
import { longestText, longestTitle } from "../../domain/work/issues/create-issue.ts";
import { mostPerIssue } from "../../domain/work/issues/detail-queries.ts";
import { dateTime, integer, nullable, oneOf, rowId, sparseList } from "../common/schema.ts";
import { Label } from "../labels/schema.ts";
import { Milestone } from "../milestones/schema.ts";
import { Repository } from "../repos/schema.ts";
import { Team } from "../teams/schema.ts";
import { User } from "../users/schema.ts";

const PRBranchInfo = t.Object(
  {
    label: t.String({ description: "Name of the branch" }),
    ref: t.String({ description: "Name of the branch; of a head that is gone refs/pull/N/head" }),
    repo: nullable(Repository),
    repo_id: integer({ description: "-1 where the repository is gone, or not for the caller to see" }),
    sha: t.String(),
  },
  { $id: "PRBranchInfo" },
);

export const PullRequest = t.Object(
  {
    additions: integer({
      description: "Lines; like the other counts, as they were when head and base were compared last",
    }),
    allow_maintainer_edit: t.Boolean(),
    assignee: nullable(User),
    assignees: nullable(t.Array(User)),
    base: PRBranchInfo,
    body: t.String(),
    changed_files: integer(),
    closed_at: nullable(dateTime()),
    comments: integer(),
    created_at: dateTime(),
    deletions: integer(),
    diff_url: t.String(),
    draft: t.Boolean({ description: "The title begins with one of the prefixes of the setting pulls.draft_prefixes" }),
    due_date: nullable(dateTime()),
    flow: integer({ description: "0: from a branch; 1: by a push to refs/for/" }),
    head: PRBranchInfo,
    html_url: t.String(),
    id: integer(),
    is_locked: t.Boolean(),
    labels: t.Array(Label),
    merge_base: t.String(),
    merge_commit_sha: nullable(t.String()),
    mergeable: t.Boolean({ description: "No draft, and without conflicts when head and base were compared last" }),
    merged: t.Boolean(),
    merged_at: nullable(dateTime()),
    merged_by: nullable(User),
    milestone: nullable(Milestone),
    number: integer({ description: "Its number in the repository, which it shares with issues" }),
    patch_url: t.String(),
    pin_order: integer({ description: "From 1; 0 where it is not pinned" }),
    requested_reviewers: t.Array(User),
    requested_reviewers_teams: t.Array(Team),
    review_comments: integer({ description: "Comments on lines" }),
    state: oneOf(["open", "closed"]),
    title: t.String(),
    updated_at: dateTime(),
    url: t.String({ description: "Its page" }),
    user: nullable(User),
  },
  { $id: "PullRequest" },
);

export const MaintainerEdit = t.Object(
  {
    id: rowId("Id of the pull request"),
    branch: t.String({ description: "Those who may write to the base may push to this branch" }),
    base: nullable(
      t.String({
        description: "owner/name of the repository that the pull request is for; null where the caller may not read it",
      }),
    ),
    user: nullable(User),
  },
  { $id: "MaintainerEdit", description: "A pull request from a branch, which lets maintainers of its base push there" },
);

const writersOnly = "Needs write access to the pull requests of the repository";

export const CreatePullRequestOption = t.Object(
  {
    // Needed, all three; the contract of the family does not say so.
    title: t.Optional(t.String({ maxLength: longestTitle, description: "Title; needed" })),
    head: t.Optional(
      t.String({
        maxLength: 1000,
        description: "The branch that it is from: branch, owner:branch or owner/repo:branch; needed",
      }),
    ),
    base: t.Optional(
      t.String({ maxLength: 1000, description: "The branch of this repository that it is for; needed" }),
    ),
    body: t.Optional(t.String({ maxLength: longestText, description: "Text, in Markdown" })),
    assignee: t.Optional(t.String({ description: `One more assignee. ${writersOnly}` })),
    assignees: t.Optional(
      nullable(sparseList(t.String(), `Names of users. ${writersOnly}`, { maxItems: mostPerIssue })),
    ),
    labels: t.Optional(nullable(sparseList(rowId("Id of a label"), writersOnly, { maxItems: mostPerIssue }))),
    milestone: t.Optional(integer({ minimum: 0, description: `Id of a milestone; 0: none. ${writersOnly}` })),
    due_date: t.Optional(nullable(dateTime(writersOnly))),
  },
  { $id: "CreatePullRequestOption" },
);

const authorsToo = "Its author may change it, too";

export const EditPullRequestOption = t.Object(
  {
    title: t.Optional(t.String({ maxLength: longestTitle, description: `Empty: as it was. ${authorsToo}` })),
    body: t.Optional(nullable(t.String({ maxLength: longestText, description: `Text, in Markdown. ${authorsToo}` }))),
    state: t.Optional(nullable(t.String({ description: `"open" or "closed". ${authorsToo}` }))),
    base: t.Optional(
      t.String({ maxLength: 1000, description: `The branch that it is for. Empty: as it was. ${authorsToo}` }),
    ),
    assignee: t.Optional(t.String({ description: "One more assignee. Empty: none more" })),
    assignees: t.Optional(
      nullable(sparseList(t.String(), "Names of all who are to have it", { maxItems: mostPerIssue })),
    ),
    labels: t.Optional(
      nullable(sparseList(rowId("Id of a label"), "All that it is to have", { maxItems: mostPerIssue })),
    ),
    milestone: t.Optional(integer({ minimum: 0, description: "Id of a milestone; 0: as it was" })),
    due_date: t.Optional(nullable(dateTime())),
    unset_due_date: t.Optional(nullable(t.Boolean({ description: "It is due at no time any more" }))),
    allow_maintainer_edit: t.Optional(
      nullable(t.Boolean({ description: "For those who may push to the branch that it is from" })),
    ),
  },
  { $id: "EditPullRequestOption" },
);
