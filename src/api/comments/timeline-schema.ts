import { t } from "elysia";
import { timelineKinds } from "../../db/schema/comments.ts";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { Issue } from "../issues/schema.ts";
import { Label } from "../labels/schema.ts";
import { Milestone } from "../milestones/schema.ts";
import { TrackedTime } from "../times/schema.ts";
import { Team } from "../teams/schema.ts";
import { User } from "../users/schema.ts";
import { Comment } from "./schema.ts";

export const TimelineComment = t.Object(
  {
    assignee: nullable(User),
    assignee_team: nullable(Team),
    body: t.String({
      description:
        "The text of a comment, or the reason of a lock. Of a commit a link to it as HTML. Of a label 1 where it was added. Of a date the new one and the old one, with | between. Of tracked time how long, in words",
    }),
    created_at: dateTime(),
    dependent_issue: nullable(Issue),
    html_url: t.String(),
    id: integer(),
    issue_url: t.String({ description: "Page of the issue; empty where it is a pull request" }),
    label: nullable(Label),
    milestone: nullable(Milestone),
    new_ref: t.String(),
    new_title: t.String(),
    old_milestone: nullable(Milestone),
    old_project_id: integer(),
    old_ref: t.String(),
    old_title: t.String(),
    project_id: integer(),
    pull_request_url: t.String({ description: "Page of the pull request; empty where it is an issue" }),
    ref_action: t.String({ description: "What the reference asks for; empty: nothing" }),
    ref_comment: nullable(Comment),
    ref_commit_sha: t.String(),
    ref_issue: nullable(Issue),
    removed_assignee: t.Boolean(),
    resolve_doer: nullable(User),
    review_id: integer(),
    tracked_time: nullable(TrackedTime),
    type: oneOf(timelineKinds, "What happened"),
    updated_at: dateTime(),
    user: nullable(User),
  },
  { $id: "TimelineComment" },
);
