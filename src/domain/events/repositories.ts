import type { StatusState } from "../../db/schema/statuses.ts";
import type { MovedRef, NamedOwner, NamedRelease, NamedRepository } from "./names.ts";

/** What happens to a repository, its refs, rules, releases, wiki, and who stands around it. */
export type RepositoryEvent =
  | { readonly kind: "repository.created"; readonly repository: NamedRepository }
  /** `repository` is the parent. `repository.created` is told of the fork, too. */
  | { readonly kind: "repository.forked"; readonly repository: NamedRepository; readonly fork: NamedRepository }
  /** A repository was made from a template. `webhooks`: it gets those of the template. */
  | {
      readonly kind: "repository.generated";
      readonly repository: NamedRepository;
      readonly templateId: number;
      readonly webhooks: boolean;
    }
  /** `changed`: the names of the columns, `name` and `archived` not among them. */
  | { readonly kind: "repository.edited"; readonly repository: NamedRepository; readonly changed: readonly string[] }
  | { readonly kind: "repository.renamed"; readonly repository: NamedRepository; readonly oldName: string }
  | { readonly kind: "repository.archived" | "repository.unarchived"; readonly repository: NamedRepository }
  /** `last`: what `keepLast` made of it. */
  | { readonly kind: "repository.deleted"; readonly repository: NamedRepository; readonly last: unknown }
  /** Before it is deleted: the open pull requests of other repositories that are from it. `issueIds`: theirs. */
  | {
      readonly kind: "repository.heads-lost";
      readonly repository: NamedRepository;
      readonly issueIds: readonly number[];
    }
  /** `reason` as in the reflog, such as "push". Those of the wiki are told apart: what follows from code does not follow from them. */
  | {
      readonly kind: "refs.moved" | "wiki.refs-moved";
      readonly repository: NamedRepository;
      readonly refs: readonly MovedRef[];
      readonly reason: string;
      /** Bytes of the packs that came with them. */
      readonly packBytes: number;
      /** Short name of the default branch after the move. */
      readonly defaultBranch: string;
      /** None of the commits that branches got names an issue. */
      readonly namesNothing?: true;
    }
  /** Offered to a new owner, who has to accept it. */
  | {
      readonly kind: "transfer.offered" | "transfer.rejected" | "transfer.cancelled";
      readonly repository: NamedRepository;
      readonly recipient: NamedOwner;
    }
  /** The repository as it is with its new owner. */
  | { readonly kind: "repository.transferred"; readonly repository: NamedRepository; readonly oldOwner: NamedOwner }
  /** `page`: its title; `path`: what it is in addresses; `comment`: what the commit says. */
  | {
      readonly kind: "wiki.page-created" | "wiki.page-edited" | "wiki.page-deleted";
      readonly repository: NamedRepository;
      readonly page: string;
      readonly path: string;
      readonly comment: string;
    }
  /** `user`: whose star it is. Not always the doer: a block takes it away, too. */
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
      /** The id of the store that has it: the repository's own, or that of its wiki. */
      readonly store: number;
      readonly oid: string;
      readonly bytes: number;
    }
  /** `drafted`: created as a draft; `published`: created as none, or not one any more. */
  | {
      readonly kind: "release.drafted" | "release.published" | "release.updated";
      readonly repository: NamedRepository;
      readonly release: NamedRelease;
    }
  /** `last`: what `keepLast` made of it. */
  | {
      readonly kind: "release.deleted";
      readonly repository: NamedRepository;
      readonly release: NamedRelease;
      readonly last: unknown;
    }
  | {
      readonly kind: "attachment.added" | "attachment.edited" | "attachment.deleted";
      readonly repository: NamedRepository;
      /** `bytes`: 0 for one that is elsewhere. */
      readonly attachment: { readonly id: number; readonly name: string; readonly bytes: number };
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
    };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfRepositories: Readonly<Record<RepositoryEvent["kind"], boolean>> = {
  "repository.created": true,
  "repository.forked": true,
  "repository.generated": false,
  "repository.edited": true,
  "repository.renamed": true,
  "repository.archived": true,
  "repository.unarchived": true,
  "repository.deleted": true,
  "repository.heads-lost": false,
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
};
