import { t } from "elysia";
import { longestText, longestTitle } from "../../domain/work/issues/create-issue.ts";
import { mostPerIssue } from "../../domain/work/issues/detail-queries.ts";
import { longestReason } from "../../domain/work/issues/edit-issue.ts";
import { Attachment } from "../attachments/schema.ts";
import { dateTime, integer, nullable, oneOf, rowId, sparseList } from "../common/schema.ts";
import { Label } from "../labels/schema.ts";
import { Milestone } from "../milestones/schema.ts";
import { User } from "../users/schema.ts";

export const RepositoryMeta = t.Object(
  { full_name: t.String(), id: integer(), name: t.String(), owner: t.String() },
  { $id: "RepositoryMeta" },
);

export const PullRequestMeta = t.Object(
  { draft: t.Boolean(), html_url: t.String(), merged: t.Boolean(), merged_at: nullable(dateTime()) },
  { $id: "PullRequestMeta" },
);

export const Issue = t.Object(
  {
    assets: t.Array(Attachment),
    assignee: nullable(User),
    assignees: nullable(t.Array(User)),
    body: t.String(),
    closed_at: nullable(dateTime()),
    comments: integer(),
    created_at: dateTime(),
    due_date: nullable(dateTime()),
    html_url: t.String(),
    id: integer(),
    is_locked: t.Boolean(),
    labels: t.Array(Label),
    milestone: nullable(Milestone),
    number: integer({ description: "Its number in the repository" }),
    original_author: t.String({ description: "Who wrote it where it was imported from" }),
    original_author_id: integer(),
    pin_order: integer({ description: "From 1; 0 where it is not pinned" }),
    pull_request: nullable(PullRequestMeta),
    ref: t.String({ description: "The branch or tag that it is about" }),
    repository: nullable(RepositoryMeta),
    state: oneOf(["open", "closed"]),
    title: t.String(),
    updated_at: dateTime(),
    url: t.String(),
    user: nullable(User),
  },
  { $id: "Issue" },
);

const writersOnly = "Needs write access to the issues of the repository";

export const CreateIssueOption = t.Object(
  {
    title: t.String({ minLength: 1, maxLength: longestTitle, description: "Title" }),
    body: t.Optional(t.String({ maxLength: longestText, description: "Text, in Markdown" })),
    ref: t.Optional(t.String({ maxLength: 255, description: "The branch or tag that it is about" })),
    assignee: t.Optional(t.String({ description: `One more assignee. ${writersOnly}` })),
    assignees: t.Optional(
      nullable(sparseList(t.String(), `Names of users. ${writersOnly}`, { maxItems: mostPerIssue })),
    ),
    labels: t.Optional(nullable(sparseList(rowId("Id of a label"), writersOnly, { maxItems: mostPerIssue }))),
    milestone: t.Optional(integer({ minimum: 0, description: `Id of a milestone; 0: none. ${writersOnly}` })),
    due_date: t.Optional(nullable(dateTime(writersOnly))),
    closed: t.Optional(t.Boolean({ description: `It is closed at once. ${writersOnly}` })),
  },
  { $id: "CreateIssueOption" },
);

const authorsToo = "Its author may change it, too";

export const EditIssueOption = t.Object(
  {
    title: t.Optional(t.String({ maxLength: longestTitle, description: `Empty: as it was. ${authorsToo}` })),
    body: t.Optional(nullable(t.String({ maxLength: longestText, description: `Text, in Markdown. ${authorsToo}` }))),
    state: t.Optional(nullable(t.String({ description: `"open" or "closed". ${authorsToo}` }))),
    ref: t.Optional(nullable(t.String({ maxLength: 255, description: "The branch or tag that it is about" }))),
    assignee: t.Optional(nullable(t.String({ description: "One more assignee; empty without others: none" }))),
    assignees: t.Optional(
      nullable(sparseList(t.String(), "Names of all who are to have it", { maxItems: mostPerIssue })),
    ),
    milestone: t.Optional(nullable(integer({ minimum: 0, description: "Id of a milestone; 0: none" }))),
    due_date: t.Optional(nullable(dateTime())),
    unset_due_date: t.Optional(nullable(t.Boolean({ description: "It is due at no time any more" }))),
    updated_at: t.Optional(
      nullable(dateTime("When it is said to have been changed; for administrators of the repository")),
    ),
  },
  { $id: "EditIssueOption" },
);

export const EditDeadlineOption = t.Object(
  { due_date: nullable(dateTime("null: none")) },
  { $id: "EditDeadlineOption" },
);

export const IssueDeadline = t.Object({ due_date: nullable(dateTime()) }, { $id: "IssueDeadline" });

export const LockIssueOption = t.Object(
  { lock_reason: t.Optional(t.String({ maxLength: longestReason, description: "Why; everybody may read it" })) },
  { $id: "LockIssueOption" },
);

export const NewIssuePinsAllowed = t.Object(
  { issues: t.Boolean(), pull_requests: t.Boolean() },
  { $id: "NewIssuePinsAllowed" },
);

export const IssueMeta = t.Object(
  {
    index: rowId("Number of the other issue"),
    owner: t.String({ description: "Name of the owner of its repository" }),
    repo: t.String({ description: "Name of its repository" }),
  },
  { $id: "IssueMeta" },
);
