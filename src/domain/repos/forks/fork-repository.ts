import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { actorOf } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { checkRepositoryName } from "../../identity/owners/names.ts";
import { checkRepositoryLimit } from "../check-limit.ts";
import { checkDescription, checkMayCreate, type Creation } from "../create-repository.ts";
import { makeRepository } from "../make-repository.ts";
import { getRepository, insertAdminCollaborator } from "../queries.ts";
import { insertWatch } from "../../identity/social/queries.ts";
import type { Work } from "../../spine/work.ts";
import { isParentHidden } from "./privacy.ts";
import { copyContents, findForkOf, lockForFork } from "./queries.ts";

/** A fork is for changing code and offering the changes. As in the family, its other units are off at first. */
const offAtFirst = {
  hasIssues: false,
  hasReleases: false,
  hasWiki: false,
  hasPackages: false,
  hasProjects: false,
  hasActions: false,
} as const;

/** How a fork differs from what it is made of. */
export interface ForkOptions {
  /** Empty: the parent's. */
  name: string;
  /** Absent: the parent's. */
  description?: string;
  /** Only the parent's default branch, and no tags. */
  defaultBranchOnly?: boolean;
}

/**
 * Makes a fork of a repository: its packs, refs and LFS objects are linked, nothing is copied but rows. It is private where
 * its parent is, or where others would see it than those who see its parent.
 * Throws InvalidInput, NotFound when the parent is gone, Conflict when the owner has a fork of it or a repository of the
 * name, Forbidden.
 */
export async function forkRepository(
  work: Work,
  access: RepositoryAccess,
  { owner, ownsOwner }: Creation,
  asked: ForkOptions,
): Promise<RepositoryRow> {
  const { tx } = work;
  const name = asked.name || access.repository.name;
  checkRepositoryName(name);
  checkDescription(asked.description ?? "");
  const parent = await lockForFork(tx, access.repository.id, owner.id);
  if (parent === null) {
    throw new NotFound("repository", `${access.owner.name}/${access.repository.name}`);
  }
  await work.lookAgainLocked(parent.repository.id);
  const isPrivate = isParentHidden(parent, parent.into);
  checkMayCreate(work.doer, parent.into, isPrivate);
  const actor = actorOf(work.doer);
  const other = await findForkOf(tx, owner.id, parent.repository.id);
  if (other !== null) {
    throw new Conflict(
      `"${owner.name}" has a fork of "${parent.owner.name}/${parent.repository.name}" already: "${owner.name}/${other.name}"`,
    );
  }
  if (!actor.isAdmin) {
    await checkRepositoryLimit(tx, owner, work.config.users.repositories);
  }
  const { description, defaultBranch, objectFormat, trustModel, empty } = parent.repository;
  const fork = await makeRepository(work, parent.into, {
    name,
    description: asked.description ?? description,
    private: isPrivate,
    defaultBranch,
    objectFormat,
    trustModel,
    empty,
    forkOf: parent.repository.id,
    ...offAtFirst,
  });
  await copyContents(tx, parent.repository.id, fork, {
    hiddenRefs: work.config.git.hidden_refs,
    onlyBranch: asked.defaultBranchOnly === true ? defaultBranch : null,
  });
  await insertWatch(tx, owner.kind === "user" ? owner.id : actor.id, fork.id);
  if (!ownsOwner) {
    await insertAdminCollaborator(tx, fork.id, actor.id);
  }
  work.tell({
    kind: "repository.forked",
    repository: namedRepository(parent),
    fork: namedRepository({ repository: fork, owner: parent.into }),
  });
  return getRepository(tx, fork.id);
}
