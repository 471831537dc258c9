import { Type } from "typebox";
import { statusStates } from "../../../db/schema/statuses.ts";
import { choice, listOf } from "../../../lib/schema.ts";
import { event, hooked } from "./define-event.ts";
import { news, newsOfRefs, newsOfRelease } from "./hook-news.ts";
import { MovedRef, NamedOwner, NamedRelease, NamedRepository } from "./names.ts";

const ofRepository = { repository: NamedRepository };
const ofRefs = {
  ...ofRepository,
  refs: listOf(MovedRef),
  /** As in the reflog, such as "push". */
  reason: Type.String(),
  /** Bytes of the packs that came with them. */
  packBytes: Type.Integer(),
  /** Short name of the default branch after the move. */
  defaultBranch: Type.String(),
  /** None of the commits that branches got names an issue. */
  namesNothing: Type.Optional(Type.Literal(true)),
};
/** `page`: its title; `path`: what it is in addresses; `comment`: what the commit says. */
const ofPage = { ...ofRepository, page: Type.String(), path: Type.String(), comment: Type.String() };
const ofRelease = { ...ofRepository, release: NamedRelease };
/** The deleted repository, as `keepLast` stored it. */
const last = Type.Unknown();

/** Events of a repository, its refs, rules, releases, wiki and access. */
export const repositoryEvents = {
  "repository.created": hooked(ofRepository, news("repository", "created")),
  "repository.deleted": hooked({ ...ofRepository, last }, news("repository", "deleted")),
  "repository.renamed": hooked({ ...ofRepository, oldName: Type.String() }, news("repository", "renamed")),
  /** The repository as it is with its new owner. */
  "repository.transferred": hooked({ ...ofRepository, oldOwner: NamedOwner }, news("repository", "transferred")),
  "repository.archived": hooked(ofRepository, news("repository", "archived")),
  "repository.unarchived": hooked(ofRepository, news("repository", "unarchived")),
  /** `repository` is the parent. `repository.created` is told of the fork, too. */
  "repository.forked": hooked({ ...ofRepository, fork: NamedRepository }, news("fork", "")),
  /** It was made from a template. `webhooks`: it gets those of the template. */
  "repository.generated": event({ ...ofRepository, templateId: Type.Integer(), webhooks: Type.Boolean() }),
  /** `changed`: the names of the columns, `name` and `archived` not among them. */
  "repository.edited": event({ ...ofRepository, changed: listOf(Type.String()) }),
  /** Before it is deleted. `issueIds`: the open pull requests of other repositories that are from it. */
  "repository.heads-lost": event({ ...ofRepository, issueIds: listOf(Type.Integer()) }),
  /** A new owner is asked to accept it. */
  "transfer.offered": event({ ...ofRepository, recipient: NamedOwner }),
  "refs.moved": hooked(ofRefs, newsOfRefs),
  /** Apart from `refs.moved`: what follows from code does not follow from a wiki. */
  "wiki.refs-moved": event({ ...ofRefs, byGuest: Type.Boolean() }),
  "wiki.page-created": hooked(ofPage, news("wiki", "created")),
  "wiki.page-edited": hooked(ofPage, news("wiki", "edited")),
  "wiki.page-deleted": hooked(ofPage, news("wiki", "deleted")),
  /** It was created as no draft, or is not one any more. */
  "release.published": hooked(ofRelease, newsOfRelease("published")),
  "release.updated": hooked(ofRelease, newsOfRelease("updated")),
  "release.deleted": hooked({ ...ofRelease, last }, newsOfRelease("deleted")),
  /** `bytes`: 0 for one that is elsewhere. */
  "attachment.added": event({ ...ofRepository, attachment: Type.Object({ bytes: Type.Integer() }) }),
  "artifact.uploaded": event({ ...ofRepository, artifact: Type.Object({ bytes: Type.Integer() }) }),
  /** `store`: the repository's own, or that of its wiki. */
  "lfs-object.stored": event({ ...ofRepository, store: Type.Integer(), byGuest: Type.Boolean() }),
  /** They use nearly all that they may, since this repository grew. */
  "quota.warned": event({ ...ofRepository, owner: NamedOwner }),
  "collaborator.added": event({ ...ofRepository, user: NamedOwner }),
  "collaborator.removed": event({ ...ofRepository, user: NamedOwner }),
  "branch-protection.edited": event(ofRepository),
  "branch-protection.deleted": event(ofRepository),
  /** `oid`: hexadecimal, of the commit. */
  "status.created": hooked(
    {
      ...ofRepository,
      oid: Type.String(),
      statusId: Type.Integer(),
      context: Type.String(),
      state: choice(statusStates),
      description: Type.String(),
      targetUrl: Type.String(),
    },
    news("status", ""),
  ),
};
