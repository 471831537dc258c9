import { Type } from "typebox";
import { orNull } from "../../../lib/schema.ts";
import { event, hooked } from "./define-event.ts";
import { newsOfIssue, newsOfLabel } from "./hook-news.ts";
import { Named, NamedIssue, NamedOwner, NamedRepository } from "./names.ts";

const ofIssue = { repository: NamedRepository, issue: NamedIssue };
const ofComment = { ...ofIssue, comment: Type.Object({ id: Type.Integer() }) };
const milestone = Type.Object({ id: Type.Integer(), title: Type.String() });
/** RFC 3339; null: none. */
const due = orNull(Type.String());
/** The deleted thing, as `keepLast` stored it. */
const last = Type.Unknown();

const edited = newsOfIssue("issues", "pull_request", "edited");

/** Events of an issue or a pull request (`isPull`), and of the comments on it. */
export const issueEvents = {
  /** Its first labels, assignees and the like have events of their own. */
  "issue.opened": hooked(ofIssue, newsOfIssue("issues", "pull_request", "opened")),
  "issue.closed": hooked(ofIssue, newsOfIssue("issues", "pull_request", "closed")),
  "issue.reopened": hooked(ofIssue, newsOfIssue("issues", "pull_request", "reopened")),
  // Webhooks hear nothing of a pull request that is gone, as in the family.
  "issue.deleted": hooked({ ...ofIssue, last }, newsOfIssue("issues", null, "deleted")),
  "issue.retitled": hooked({ ...ofIssue, oldTitle: Type.String() }, edited),
  /** It has another text. */
  "issue.rewritten": hooked({ ...ofIssue, oldBody: Type.String() }, edited),
  "issue.due-changed": hooked({ ...ofIssue, oldDue: due, newDue: due }, edited),
  /** Empty: no ref. */
  "issue.ref-changed": hooked({ ...ofIssue, oldRef: Type.String(), newRef: Type.String() }, edited),
  "issue.assigned": hooked(
    { ...ofIssue, user: NamedOwner },
    newsOfIssue("issue_assign", "pull_request_assign", "assigned"),
  ),
  "issue.unassigned": hooked(
    { ...ofIssue, user: NamedOwner },
    newsOfIssue("issue_assign", "pull_request_assign", "unassigned"),
  ),
  "issue.labeled": hooked({ ...ofIssue, label: Named }, newsOfLabel),
  /** `clearing`: all labels are taken away at once, with an event for each. */
  "issue.unlabeled": hooked(
    { ...ofIssue, label: Named, clearing: Type.Optional(Type.Object({ isLast: Type.Boolean() })) },
    newsOfLabel,
  ),
  "issue.milestoned": hooked(
    { ...ofIssue, milestone },
    newsOfIssue("issue_milestone", "pull_request_milestone", "milestoned"),
  ),
  "issue.demilestoned": hooked(
    { ...ofIssue, milestone },
    newsOfIssue("issue_milestone", "pull_request_milestone", "demilestoned"),
  ),
  /** `reason`: empty if none was given. */
  "issue.locked": event({ ...ofIssue, reason: Type.String() }),
  "issue.unlocked": event(ofIssue),
  "issue.pinned": event(ofIssue),
  "issue.unpinned": event(ofIssue),
  /** The user is named in its title or its text, and was not before. */
  "issue.mentioned": event({ ...ofIssue, user: NamedOwner }),
  /** Told of both: `other` is what the issue depends on, or what depends on it. */
  "issue.dependency-added": event({ ...ofIssue, other: NamedIssue }),
  "issue.dependency-removed": event({ ...ofIssue, other: NamedIssue }),
  "comment.created": hooked(ofComment, newsOfIssue("issue_comment", "pull_request_comment", "created")),
  "comment.edited": hooked(
    { ...ofComment, oldBody: Type.String() },
    newsOfIssue("issue_comment", "pull_request_comment", "edited"),
  ),
  "comment.deleted": hooked({ ...ofComment, last }, newsOfIssue("issue_comment", "pull_request_comment", "deleted")),
  /** `bytes`: 0 for one that is elsewhere. */
  "issue-attachment.added": event({
    ...ofIssue,
    attachment: Type.Object({ bytes: Type.Integer(), byGuest: Type.Boolean() }),
  }),
  /** For a text that is being written. */
  "loose-attachment.added": event({
    repository: NamedRepository,
    attachment: Type.Object({ bytes: Type.Integer(), byGuest: Type.Boolean() }),
  }),
  "stopwatch.started": event(ofIssue),
  "stopwatch.cancelled": event(ofIssue),
  /** `byStopwatch`: a stopwatch measured it; else somebody entered it. */
  "time.tracked": event({
    ...ofIssue,
    time: Type.Object({ id: Type.Integer(), seconds: Type.Integer() }),
    byStopwatch: Type.Boolean(),
  }),
  "time.deleted": event({ ...ofIssue, seconds: Type.Integer() }),
};
