import { Type } from "typebox";
import { mergeStyles } from "../../../db/schema/repositories.ts";
import { choice, orNull } from "../../../lib/schema.ts";
import { event, hooked } from "./define-event.ts";
import { news, newsOfReview } from "./hook-news.ts";
import { Named, NamedIssue, NamedOwner, NamedRepository, NamedReview } from "./names.ts";

/** `repository`: the base. */
const ofPull = { repository: NamedRepository, issue: NamedIssue };
const ofReview = { ...ofPull, review: NamedReview };
const style = choice(mergeStyles);
/** One of them is not null. */
const reviewer = { user: orNull(NamedOwner), team: orNull(Named) };

/**
 * Events of pull requests only. Those that issues have, too, are in `issues.ts`: opened, closed, reopened, retitled, labels, milestone,
 * assignees, comments. Oids are hexadecimal.
 */
export const pullEvents = {
  /** Its head moved. Whether it gave up commits is not known yet. */
  "pull.synchronized": hooked(
    { ...ofPull, oldHead: Type.String(), newHead: Type.String() },
    news("pull_request_sync", "synchronized"),
  ),
  /** `issue.closed` is not told beside it. */
  "pull.merged": hooked(
    {
      ...ofPull,
      style,
      /** The commit of the base branch that has it. */
      oid: Type.String(),
      /** It was scheduled, and its checks have succeeded. */
      scheduled: Type.Optional(Type.Literal(true)),
    },
    news("pull_request", "closed"),
  ),
  /** It is for another branch of the base. */
  "pull.retargeted": hooked(
    { ...ofPull, oldBase: Type.String(), newBase: Type.String() },
    news("pull_request", "edited"),
  ),
  /** After its head moved it was found that reviews are about the same changes: they are not stale any more. */
  "pull.reviews-renewed": event(ofPull),
  /** The branch that it is from was deleted. */
  "pull.head-deleted": event({ ...ofPull, branch: Type.String() }),
  "pull.merge-scheduled": event({ ...ofPull, style }),
  /** `scheduledById`: the user whose schedule it was. */
  "pull.merge-unscheduled": event({ ...ofPull, style, scheduledById: Type.Integer() }),
  "review.requested": hooked({ ...ofPull, ...reviewer }, news("pull_request_review_request", "review_requested")),
  "review.request-withdrawn": hooked(
    { ...ofPull, ...reviewer },
    news("pull_request_review_request", "review_request_removed"),
  ),
  "review.submitted": hooked({ ...ofReview, body: Type.String(), byGuest: Type.Boolean() }, newsOfReview),
  /** `message`: why; empty if nothing was said. */
  "review.dismissed": event({ ...ofReview, message: Type.String() }),
  "review.undismissed": event(ofReview),
  "review.deleted": event(ofReview),
};
