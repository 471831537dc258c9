import type { MergeStyle } from "../../db/schema/repositories.ts";
import type { NamedIssue, NamedOwner, NamedRepository } from "./names.ts";

/** A review that was submitted. */
export interface NamedReview {
  readonly id: number;
  readonly kind: "comment" | "approve" | "request-changes";
}

/**
 * What happens to a pull request alone. What happens to an issue, too, is told as of one (`issues.ts`, with `isPull`): opened, closed, reopened,
 * retitled, labels, milestone, assignees, comments. `repository` is the base. Oids are hexadecimal.
 */
export type PullEvent =
  /** Its head moved. Whether it gave up commits is not known yet. */
  | {
      readonly kind: "pull.synchronized";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly oldHead: string;
      readonly newHead: string;
    }
  /** `issue.closed` is not told beside it. */
  | {
      readonly kind: "pull.merged";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly style: MergeStyle;
      /** The commit of the base branch that has it. */
      readonly oid: string;
      /** It was scheduled, and its checks have succeeded. */
      readonly scheduled?: true;
    }
  /** After its head moved it was found that reviews are about the same changes: they are not stale any more. */
  | {
      readonly kind: "pull.reviews-renewed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
    }
  /** It is for another branch of the base. */
  | {
      readonly kind: "pull.retargeted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly oldBase: string;
      readonly newBase: string;
    }
  | {
      readonly kind: "pull.maintainer-edit-changed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly allowed: boolean;
    }
  /** The branch that it is from was deleted, or is there again. `head`: its repository. */
  | {
      readonly kind: "pull.head-deleted" | "pull.head-restored";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly head: NamedRepository;
      readonly branch: string;
    }
  | {
      readonly kind: "pull.merge-scheduled";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly style: MergeStyle;
    }
  | {
      readonly kind: "pull.merge-unscheduled";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly style: MergeStyle;
      /** Whose schedule it was. */
      readonly scheduledById: number;
    }
  /** Asked for a review, or not any more: `user` or `team` is not null. */
  | {
      readonly kind: "review.requested" | "review.request-withdrawn";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly user: NamedOwner | null;
      readonly team: { readonly id: number; readonly name: string } | null;
    }
  | {
      readonly kind: "review.submitted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly review: NamedReview;
      readonly body: string;
    }
  /** `message`: why; empty where nothing was said. */
  | {
      readonly kind: "review.dismissed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly review: NamedReview;
      readonly message: string;
    }
  | {
      readonly kind: "review.undismissed" | "review.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly review: NamedReview;
    }
  /** On a line. Of one in a pending review, nothing is told before that is submitted. */
  | {
      readonly kind:
        | "review-comment.created"
        | "review-comment.edited"
        | "review-comment.deleted"
        | "review-comment.resolved"
        | "review-comment.unresolved";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly comment: { readonly id: number };
      readonly reviewId: number;
    };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfPulls: Readonly<Record<PullEvent["kind"], boolean>> = {
  "pull.synchronized": true,
  "pull.merged": true,
  // Who is told of reviews was told when they were given.
  "pull.reviews-renewed": false,
  "pull.retargeted": true,
  "pull.maintainer-edit-changed": true,
  "pull.head-deleted": true,
  "pull.head-restored": true,
  "pull.merge-scheduled": true,
  "pull.merge-unscheduled": true,
  "review.requested": true,
  "review.request-withdrawn": true,
  "review.submitted": true,
  "review.dismissed": true,
  "review.undismissed": true,
  "review.deleted": true,
  "review-comment.created": true,
  "review-comment.edited": true,
  "review-comment.deleted": true,
  "review-comment.resolved": true,
  "review-comment.unresolved": true,
};
