import { t } from "elysia";
import { Attachment } from "../attachments/schema.ts";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { longestText } from "../../domain/work/issues/create-issue.ts";
import { User } from "../users/schema.ts";

export const Comment = t.Object(
  {
    assets: nullable(t.Array(Attachment)),
    body: t.String(),
    created_at: dateTime(),
    html_url: t.String(),
    id: integer(),
    issue_url: t.String({ description: "Page of the issue; empty where it is a pull request" }),
    original_author: t.String({ description: "Who wrote it where it was imported from" }),
    original_author_id: integer(),
    pull_request_url: t.String({ description: "Page of the pull request; empty where it is an issue" }),
    updated_at: dateTime(),
    user: nullable(User),
  },
  { $id: "Comment" },
);

const body = t.String({ minLength: 1, maxLength: longestText, description: "Text, in Markdown" });

const updatedAt = t.Optional(
  nullable(dateTime("When it was written, for what is brought from elsewhere. Needs administrative access")),
);

export const CreateIssueCommentOption = t.Object({ body, updated_at: updatedAt }, { $id: "CreateIssueCommentOption" });
export const EditIssueCommentOption = t.Object({ body, updated_at: updatedAt }, { $id: "EditIssueCommentOption" });

/** Query parameters of what is listed by the time of its last change. */
export const spanQuery = {
  since: t.Optional(t.String({ description: "Only what was changed at this time or later, in RFC 3339" })),
  before: t.Optional(t.String({ description: "Only what was changed at this time or earlier, in RFC 3339" })),
};
