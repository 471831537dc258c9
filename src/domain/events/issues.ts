import type { NamedIssue, NamedOwner, NamedRepository } from "./names.ts";

/** What happens to an issue, and to the labels, milestones and comments around it. A pull request is told of in the same way, with `isPull`. */
export type IssueEvent =
  /** With all that it has from the start, which is told by events of its own, too. */
  | { readonly kind: "issue.opened"; readonly repository: NamedRepository; readonly issue: NamedIssue }
  /** Told of both: `other` is what the issue depends on, or what depends on it. */
  | {
      readonly kind: "issue.dependency-added" | "issue.dependency-removed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly other: NamedIssue;
    }
  | {
      readonly kind: "issue.assigned" | "issue.unassigned" | "issue.subscribed" | "issue.unsubscribed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly user: NamedOwner;
    }
  | {
      readonly kind: "issue.labeled" | "issue.unlabeled";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly label: { readonly id: number; readonly name: string };
      /** All labels are taken away at once, with an event for each. */
      readonly clearing?: { readonly isLast: boolean };
    }
  /** A label of a repository; `repository` is null for one of the organization `owner`. */
  | {
      readonly kind: "label.created" | "label.edited" | "label.deleted";
      readonly owner: NamedOwner;
      readonly repository: NamedRepository | null;
      readonly label: { readonly id: number; readonly name: string };
    }
  | {
      readonly kind:
        | "milestone.created"
        | "milestone.edited"
        | "milestone.closed"
        | "milestone.reopened"
        | "milestone.deleted";
      readonly repository: NamedRepository;
      readonly milestone: { readonly id: number; readonly title: string };
    }
  | {
      readonly kind: "issue.closed" | "issue.reopened" | "issue.unlocked" | "issue.pinned" | "issue.unpinned";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
    }
  /** `last`: what `keepLast` made of it. */
  | {
      readonly kind: "issue.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly last: unknown;
    }
  /** `reason`: empty where none was given. */
  | {
      readonly kind: "issue.locked";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly reason: string;
    }
  | {
      readonly kind: "issue.retitled";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly oldTitle: string;
    }
  /** Its text is another one. */
  | {
      readonly kind: "issue.rewritten";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly oldBody: string;
    }
  /** Times in RFC 3339; null: none. */
  | {
      readonly kind: "issue.due-changed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly oldDue: string | null;
      readonly newDue: string | null;
    }
  /** Empty: none. */
  | {
      readonly kind: "issue.ref-changed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly oldRef: string;
      readonly newRef: string;
    }
  /** Named in its title or its text, where they were not before. */
  | {
      readonly kind: "issue.mentioned";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly user: NamedOwner;
    }
  | {
      readonly kind: "issue.milestoned" | "issue.demilestoned";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly milestone: { readonly id: number; readonly title: string };
    }
  | {
      readonly kind: "comment.created";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly comment: { readonly id: number };
    }
  | {
      readonly kind: "comment.edited";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly comment: { readonly id: number };
      readonly oldBody: string;
    }
  /** `last`: what `keepLast` made of it. */
  | {
      readonly kind: "comment.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly comment: { readonly id: number };
      readonly last: unknown;
    }
  /** `commentId`: null where it is a file of the issue itself. */
  | {
      readonly kind: "issue-attachment.added" | "issue-attachment.edited" | "issue-attachment.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly commentId: number | null;
      /** `bytes`: 0 for one that is elsewhere. */
      readonly attachment: {
        readonly id: number;
        readonly name: string;
        readonly bytes: number;
        readonly byGuest: boolean;
      };
    }
  /** `commentId`: null where it is to the issue itself. */
  | {
      readonly kind: "reaction.added" | "reaction.removed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly commentId: number | null;
      readonly content: string;
    };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfIssues: Readonly<Record<IssueEvent["kind"], boolean>> = {
  "issue.opened": true,
  "issue.closed": true,
  "issue.reopened": true,
  "issue.deleted": true,
  "issue.locked": true,
  "issue.unlocked": true,
  "issue.pinned": true,
  "issue.unpinned": true,
  "issue.retitled": true,
  "issue.rewritten": true,
  "issue.due-changed": true,
  "issue.ref-changed": true,
  "issue.mentioned": true,
  "issue.assigned": true,
  "issue.unassigned": true,
  "issue.dependency-added": true,
  "issue.dependency-removed": true,
  "issue.subscribed": false,
  "issue.unsubscribed": false,
  "issue.labeled": true,
  "issue.unlabeled": true,
  "issue.milestoned": true,
  "issue.demilestoned": true,
  "comment.created": true,
  "comment.edited": true,
  "comment.deleted": true,
  "label.created": true,
  "label.edited": true,
  "label.deleted": true,
  "milestone.created": true,
  "milestone.edited": true,
  "milestone.closed": true,
  "milestone.reopened": true,
  "milestone.deleted": true,
  "issue-attachment.added": true,
  "issue-attachment.edited": true,
  "issue-attachment.deleted": true,
  "reaction.added": true,
  "reaction.removed": true,
};
