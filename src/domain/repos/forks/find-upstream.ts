import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { NotAFork } from "./errors.ts";
import { jointView } from "./joint-view.ts";
import { findVisibleRepositories } from "./queries.ts";

/** A branch of a fork beside the one of its parent that it follows. */
export interface Upstream {
  parent: RepositoryAccess;
  /** Short name of the parent's branch. */
  branch: string;
  /** Oid of the fork's commit. */
  own: string;
  /** Oid of the parent's commit; null where the parent has no such branch. */
  theirs: string | null;
  /** Commits that the parent's branch has and the fork's has not. */
  behind: number;
  /** Commits that the fork's branch has and the parent's has not. */
  ahead: number;
  /** The packs of both. */
  view: RepositoryView;
}

/**
 * The parent of a fork, for somebody who may read its code. Throws NotAFork; NotFound where they may not: who lost access
 * to the parent keeps the fork, and gets nothing new.
 */
export async function getParent(
  db: Reader,
  viewer: Viewer,
  { repository, owner }: RepositoryAccess,
): Promise<RepositoryAccess> {
  const { forkOf } = repository;
  if (forkOf === null) {
    throw new NotAFork(`${owner.name}/${repository.name}`);
  }
  const parent = (await findVisibleRepositories(db, viewer, [forkOf])).get(forkOf);
  if (parent === undefined || parent.units.code < accessModes.read) {
    throw new NotFound("parent of the fork", `${owner.name}/${repository.name}`);
  }
  return parent;
}

/**
 * Compares a branch of a fork with the branch of the same name in its parent; `orDefault`: with the parent's default
 * branch where it has none of the name. Throws NotAFork, NotFound (the parent, the fork's branch).
 */
export async function findUpstream(
  forge: Forge,
  viewer: Viewer,
  fork: RepositoryAccess,
  name: string,
  orDefault: boolean,
): Promise<Upstream> {
  const { refs, views, engine } = forge.git;
  const parent = await getParent(forge.database.db, viewer, fork);
  const own = await refs.findRef(fork.repository.id, `refs/heads/${name}`);
  if (own === null) {
    throw new NotFound("branch", name);
  }
  const find = async (branch: string) => {
    const found = await refs.findRef(parent.repository.id, `refs/heads/${branch}`);
    return found === null ? null : { branch, oid: found.oid };
  };
  const theirs = (await find(name)) ?? (orDefault ? await find(parent.repository.defaultBranch) : null);
  const view = jointView(await views.current(fork.repository), await views.current(parent.repository));
  const counts =
    theirs === null || theirs.oid === own.oid
      ? null
      : (await engine.call(view, "aheadBehind", { pairs: [{ base: own.oid, tip: theirs.oid }] }))[0];
  return {
    parent,
    branch: theirs?.branch ?? name,
    own: own.oid,
    theirs: theirs?.oid ?? null,
    behind: counts?.ahead ?? 0,
    ahead: counts?.behind ?? 0,
    view,
  };
}
