import type { OwnerRow, RepositoryRow } from "../auth/subject.ts";
import type { StatusState } from "../db/schema/statuses.ts";

/** A user or an organization, as it is called while it is told about: its row may be gone when somebody hears of it. */
export interface NamedOwner {
  readonly id: number;
  readonly name: string;
}

/** A repository likewise. */
export interface NamedRepository {
  readonly id: number;
  readonly name: string;
  readonly private: boolean;
  readonly owner: NamedOwner;
}

/** A ref that was created (`oldOid` null), moved or deleted (`newOid` null); oids are hexadecimal. */
export interface MovedRef {
  readonly name: string;
  readonly oldOid: string | null;
  readonly newOid: string | null;
}

/** An issue or a pull request likewise. */
export interface NamedIssue {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly isPull: boolean;
}

/** A release likewise. Only those who may write releases know of a draft. */
export interface NamedRelease {
  readonly id: number;
  readonly tagName: string;
  readonly title: string;
  readonly draft: boolean;
}

/**
 * Everything that can happen, told only when it has changed something, as those who hear of it need it: subscribers inside the transaction (`subscribers.ts`), and
 * receivers after the commit (`receivers.ts`), when rows may be gone. Who did it is the doer of the unit of work. A kind is
 * `noun.past-participle`; add one here and to `outboxed`, and tell it in the use case.
 */
export type Event =
  | { readonly kind: "repository.created"; readonly repository: NamedRepository }
  /** `repository` is the parent. `repository.created` is told of the fork, too. */
  | { readonly kind: "repository.forked"; readonly repository: NamedRepository; readonly fork: NamedRepository }
  /** `changed`: the names of the columns, `name` and `archived` not among them. */
  | { readonly kind: "repository.edited"; readonly repository: NamedRepository; readonly changed: readonly string[] }
  | { readonly kind: "repository.renamed"; readonly repository: NamedRepository; readonly oldName: string }
  | { readonly kind: "repository.archived" | "repository.unarchived"; readonly repository: NamedRepository }
  | { readonly kind: "repository.deleted"; readonly repository: NamedRepository }
  /** `reason` as in the reflog, such as "push". Those of the wiki are told apart: what follows from code does not follow from them. */
  | {
      readonly kind: "refs.moved" | "wiki.refs-moved";
      readonly repository: NamedRepository;
      readonly refs: readonly MovedRef[];
      readonly reason: string;
    }
  /** Offered to a new owner, who has to accept it. */
  | {
      readonly kind: "transfer.offered" | "transfer.rejected" | "transfer.cancelled";
      readonly repository: NamedRepository;
      readonly recipient: NamedOwner;
    }
  /** The repository as it is with its new owner. */
  | { readonly kind: "repository.transferred"; readonly repository: NamedRepository; readonly oldOwner: NamedOwner }
  /** `user`: whose star it is. Not always the doer: a block takes it away, too. */
  /** `page`: its title; `path`: what it is in addresses; `comment`: what the commit says. */
  | {
      readonly kind: "wiki.page-created" | "wiki.page-edited" | "wiki.page-deleted";
      readonly repository: NamedRepository;
      readonly page: string;
      readonly path: string;
      readonly comment: string;
    }
  | { readonly kind: "star.added" | "star.removed"; readonly repository: NamedRepository; readonly user: NamedOwner }
  | { readonly kind: "watch.added" | "watch.removed"; readonly repository: NamedRepository; readonly user: NamedOwner }
  /** `mode`: one of accessModes. */
  | {
      readonly kind: "collaborator.added";
      readonly repository: NamedRepository;
      readonly user: NamedOwner;
      readonly mode: number;
    }
  | { readonly kind: "collaborator.removed"; readonly repository: NamedRepository; readonly user: NamedOwner }
  | {
      readonly kind: "deploy-key.added" | "deploy-key.deleted";
      readonly repository: NamedRepository;
      readonly keyId: number;
    }
  | {
      readonly kind: "branch-protection.created" | "branch-protection.edited" | "branch-protection.deleted";
      readonly repository: NamedRepository;
      readonly protection: { readonly id: number; readonly name: string };
    }
  | { readonly kind: "branch-protections.ordered"; readonly repository: NamedRepository }
  | {
      readonly kind: "tag-protection.created" | "tag-protection.edited" | "tag-protection.deleted";
      readonly repository: NamedRepository;
      readonly protection: { readonly id: number; readonly name: string };
    }
  | {
      readonly kind: "lfs-object.stored";
      readonly repository: NamedRepository;
      readonly oid: string;
      readonly bytes: number;
    }
  /** `drafted`: created as a draft; `published`: created as none, or not one any more. */
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
      readonly kind:
        | "issue.closed"
        | "issue.reopened"
        | "issue.deleted"
        | "issue.unlocked"
        | "issue.pinned"
        | "issue.unpinned";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
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
      readonly kind: "comment.created" | "comment.edited" | "comment.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly comment: { readonly id: number };
    }
  /** `commentId`: null where it is a file of the issue itself. */
  | {
      readonly kind: "issue-attachment.added" | "issue-attachment.edited" | "issue-attachment.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly commentId: number | null;
      readonly attachment: { readonly id: number; readonly name: string };
    }
  /** `commentId`: null where it is to the issue itself. */
  | {
      readonly kind: "reaction.added" | "reaction.removed";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly commentId: number | null;
      readonly content: string;
    }
  | {
      readonly kind: "release.drafted" | "release.published" | "release.updated" | "release.deleted";
      readonly repository: NamedRepository;
      readonly release: NamedRelease;
    }
  | {
      readonly kind: "attachment.added" | "attachment.edited" | "attachment.deleted";
      readonly repository: NamedRepository;
      readonly attachment: { readonly id: number; readonly name: string };
      readonly releaseId: number;
    }
  | {
      readonly kind: "lfs-lock.created" | "lfs-lock.deleted";
      readonly repository: NamedRepository;
      readonly path: string;
      readonly lockId: number;
    }
  /** `oid`: hexadecimal, of the commit. */
  | {
      readonly kind: "status.created";
      readonly repository: NamedRepository;
      readonly oid: string;
      readonly statusId: number;
      readonly context: string;
      readonly state: StatusState;
      readonly description: string;
      readonly targetUrl: string;
    }
  | { readonly kind: "notifications.marked"; readonly userId: number; readonly ids: readonly number[] }
  | { readonly kind: "user.created" | "user.deleted"; readonly user: NamedOwner }
  /** `changed`: the names of the columns. */
  | { readonly kind: "user.edited"; readonly user: NamedOwner; readonly changed: readonly string[] }
  | { readonly kind: "user.suspended" | "user.unsuspended"; readonly user: NamedOwner }
  | { readonly kind: "password.changed"; readonly user: NamedOwner }
  | { readonly kind: "two-factor.enabled" | "two-factor.disabled"; readonly user: NamedOwner }
  | { readonly kind: "recovery-codes.renewed"; readonly user: NamedOwner }
  | {
      readonly kind: "email.added" | "email.deleted" | "email.verified";
      readonly userId: number;
      readonly emails: readonly string[];
    }
  | { readonly kind: "password-reset.requested"; readonly user: NamedOwner }
  | { readonly kind: "session.started" | "session.ended"; readonly userId: number }
  | { readonly kind: "token.created" | "token.deleted"; readonly userId: number; readonly tokenId: number }
  | { readonly kind: "ssh-key.added" | "ssh-key.deleted"; readonly user: NamedOwner; readonly keyId: number }
  | {
      readonly kind: "gpg-key.added" | "gpg-key.verified" | "gpg-key.deleted";
      readonly user: NamedOwner;
      readonly keyId: number;
    }
  | { readonly kind: "follow.added" | "follow.removed"; readonly user: NamedOwner; readonly followed: NamedOwner }
  | { readonly kind: "block.added" | "block.removed"; readonly owner: NamedOwner; readonly user: NamedOwner }
  /** A user or an organization. */
  | { readonly kind: "owner.renamed"; readonly owner: NamedOwner; readonly oldName: string }
  | { readonly kind: "avatar.changed"; readonly owner: NamedOwner }
  | { readonly kind: "organization.created" | "organization.deleted"; readonly owner: NamedOwner }
  | { readonly kind: "organization.edited"; readonly owner: NamedOwner; readonly changed: readonly string[] }
  | { readonly kind: "member.removed"; readonly owner: NamedOwner; readonly user: NamedOwner }
  | { readonly kind: "member.published" | "member.concealed"; readonly owner: NamedOwner; readonly user: NamedOwner }
  | {
      readonly kind: "team.created" | "team.edited" | "team.deleted";
      readonly owner: NamedOwner;
      readonly team: { readonly id: number; readonly name: string };
    }
  | {
      readonly kind: "team-member.added" | "team-member.removed";
      readonly owner: NamedOwner;
      readonly team: { readonly id: number; readonly name: string };
      readonly user: NamedOwner;
    }
  | {
      readonly kind: "team-repository.added" | "team-repository.removed";
      readonly repository: NamedRepository;
      readonly team: { readonly id: number; readonly name: string };
    }
  | {
      readonly kind: "application.created" | "application.edited" | "application.deleted";
      readonly user: NamedOwner;
      readonly applicationId: number;
    }
  | {
      readonly kind: "grant.given" | "grant.used" | "grant.revoked";
      readonly userId: number;
      readonly grantId: number;
    };

export type EventKind = Event["kind"];

/** Whether an event goes into the outbox: receivers are told what others may see, not how somebody signs in. */
export const outboxed: Readonly<Record<EventKind, boolean>> = {
  "repository.created": true,
  "repository.forked": true,
  "repository.edited": true,
  "repository.renamed": true,
  "repository.archived": true,
  "repository.unarchived": true,
  "repository.deleted": true,
  "repository.transferred": true,
  "transfer.offered": true,
  "transfer.rejected": true,
  "transfer.cancelled": true,
  "refs.moved": true,
  "wiki.refs-moved": true,
  "wiki.page-created": true,
  "wiki.page-edited": true,
  "wiki.page-deleted": true,
  "star.added": true,
  "star.removed": true,
  "watch.added": true,
  "watch.removed": true,
  "collaborator.added": true,
  "collaborator.removed": true,
  "deploy-key.added": true,
  "deploy-key.deleted": true,
  "branch-protection.created": true,
  "branch-protection.edited": true,
  "branch-protection.deleted": true,
  "branch-protections.ordered": true,
  "tag-protection.created": true,
  "tag-protection.edited": true,
  "tag-protection.deleted": true,
  "lfs-object.stored": true,
  "issue.opened": true,
  "issue.closed": true,
  "issue.reopened": true,
  "issue.deleted": true,
  "issue.locked": true,
  "issue.unlocked": true,
  "issue.pinned": true,
  "issue.unpinned": true,
  "issue.retitled": true,
  // What was there before is in the history of the issue.
  "issue.rewritten": false,
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
  "release.drafted": false,
  "release.published": true,
  "release.updated": true,
  "release.deleted": true,
  "attachment.added": true,
  "attachment.edited": true,
  "attachment.deleted": true,
  "lfs-lock.created": true,
  "lfs-lock.deleted": true,
  "status.created": true,
  "notifications.marked": false,
  "user.created": true,
  "user.edited": true,
  "user.suspended": true,
  "user.unsuspended": true,
  "user.deleted": true,
  "password.changed": false,
  "two-factor.enabled": false,
  "two-factor.disabled": false,
  "recovery-codes.renewed": false,
  "email.added": false,
  "email.deleted": false,
  "email.verified": false,
  "password-reset.requested": false,
  "session.started": false,
  "session.ended": false,
  "token.created": false,
  "token.deleted": false,
  "ssh-key.added": false,
  "ssh-key.deleted": false,
  "gpg-key.added": false,
  "gpg-key.verified": false,
  "gpg-key.deleted": false,
  "follow.added": true,
  "follow.removed": true,
  "block.added": false,
  "block.removed": false,
  "owner.renamed": true,
  "avatar.changed": false,
  "organization.created": true,
  "organization.edited": true,
  "organization.deleted": true,
  "member.removed": true,
  "member.published": true,
  "member.concealed": true,
  "team.created": true,
  "team.edited": true,
  "team.deleted": true,
  "team-member.added": true,
  "team-member.removed": true,
  "team-repository.added": true,
  "team-repository.removed": true,
  "application.created": false,
  "application.edited": false,
  "application.deleted": false,
  "grant.given": false,
  "grant.used": false,
  "grant.revoked": false,
};

/** Returns how an owner is called in an event. */
export function namedOwner({ id, name }: NamedOwner): NamedOwner {
  return { id, name };
}

/** Returns how a repository is called in an event. */
export function namedRepository(access: {
  repository: Pick<RepositoryRow, "id" | "name" | "private">;
  owner: Pick<OwnerRow, "id" | "name">;
}): NamedRepository {
  const { id, name, private: isPrivate } = access.repository;
  return { id, name, private: isPrivate, owner: namedOwner(access.owner) };
}
