import { t } from "elysia";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";

export const CommitStatusState = oneOf(["pending", "success", "error", "failure", "warning", "skipped"]);

export const CommitStatus = t.Object(
  {
    id: integer(),
    status: CommitStatusState,
    target_url: t.String({ description: "Where one can read more; may be empty" }),
    description: t.String(),
    url: t.String({ description: "API address of the commit's statuses" }),
    context: t.String({ description: "What says it, such as ci/build" }),
    creator: nullable(User),
    created_at: dateTime(),
    updated_at: dateTime("Statuses never change: when it was created"),
  },
  { $id: "CommitStatus" },
);

export const CombinedStatus = t.Object(
  {
    state: CommitStatusState,
    sha: t.String({ description: "Whole oid of the commit" }),
    total_count: integer({ description: "How many contexts there are" }),
    statuses: t.Array(CommitStatus, { description: "The newest status of each context, the newest first" }),
    repository: nullable(Repository),
    commit_url: t.String(),
    url: t.String(),
  },
  { $id: "CombinedStatus" },
);

export const CreateStatusOption = t.Object(
  {
    // As in the documents of Gitea and Forgejo, which require nothing; createStatus demands it.
    state: t.Optional(CommitStatusState),
    context: t.Optional(
      t.String({ description: 'What says it, at most 255 characters; "default" if it is absent or empty' }),
    ),
    description: t.Optional(t.String({ description: "At most 1,024 characters" })),
    target_url: t.Optional(
      t.String({ description: "Where one can read more: an address with http or https, at most 2,048 characters" }),
    ),
  },
  { $id: "CreateStatusOption" },
);
