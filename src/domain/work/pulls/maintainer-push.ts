import type { RepositoryAccess, Subject } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { PushCommand } from "../../../git/transport/push-request.ts";
import { demandTo, isAllowed, judge, type Demand } from "../../spine/guard.ts";
import { permitOnFound, permitOnId } from "../../spine/permit.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Forbidden } from "../../spine/errors.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import { listMaintained, type MaintainedBranch } from "../pulls/maintained-queries.ts";
import type { MaintainerPush } from "../../git/refs/move-refs.ts";
import type { Work } from "../../spine/work.ts";

const branchPrefix = "refs/heads/";

/** Everything but the target of what somebody needs who pushes to a fork because they maintain the base of its pull request. */
const demandOn = (mode: "participate" | "write", more: { challenges?: true } = {}) =>
  demandTo({ on: "repository", do: mode, unit: "code" }, "write", ["repository"], { signedIn: true, ...more });

/** The demand on a maintainer in the fork itself: they may read its code, and its owner does not block them. */
export const demandOfMaintainer = demandOn("participate", { challenges: true });

/** Which branches of a fork somebody may push to though they may not write to it, by their short names. */
async function findMaintained(
  db: Reader,
  { actor, credential }: Pick<UserDoer, "actor" | "credential">,
  repositoryId: number,
): Promise<Map<string, MaintainedBranch>> {
  const offered = await listMaintained(db, repositoryId);
  const bases = await findVisibleRepositories(db, { actor, credential }, [
    ...new Set(offered.map(({ baseId }) => baseId)),
  ]);
  const isMaintainer = ({ baseId }: MaintainedBranch) => (bases.get(baseId)?.units.code ?? 0) >= accessModes.write;
  return new Map(offered.filter(isMaintainer).map((one) => [one.branch, one]));
}

/** Looks again, in the transaction that stores what they bring, whether a maintainer may push to any branch. Throws Forbidden. */
export async function demandMaintainerOfAny({ tx, doer }: Work, repositoryId: number): Promise<void> {
  if (doer.kind !== "user" || !(await isMaintainerOfAny(tx, doer, repositoryId))) {
    throw new Forbidden("No open pull request lets you push to the repository any more");
  }
}

/** Whether somebody who may not write to a repository may push to any branch of it. */
async function isMaintainerOfAny(
  db: Reader,
  who: Pick<UserDoer, "actor" | "credential">,
  repositoryId: number,
): Promise<boolean> {
  return (await findMaintained(db, who, repositoryId)).size > 0;
}

/**
 * Returns the demand for an operation that needs write access to the code of a repository. It is less for a caller whom
 * an open pull request from one of its branches allows to edit that branch. The handler must still check the branch.
 */
export async function demandOfEditor(
  db: Reader,
  subject: Pick<Subject, "actor" | "credential" | "owner" | "repository">,
  demand: Demand,
): Promise<Demand> {
  const { actor, credential, repository } = subject;
  if (actor === null || repository === null || judge(subject, demand) !== "forbidden") {
    return demand;
  }
  const isMaintainer =
    isAllowed(subject, demandOfMaintainer) &&
    (await isMaintainerOfAny(db, { actor, credential }, repository.repository.id));
  return isMaintainer ? demandOfMaintainer : demand;
}

/**
 * Decides who commits to a branch over the API and the pages: a doer who may write to the repository, or a maintainer of
 * the base of an open pull request from it. `forge.change` looks at that right again. Throws Forbidden.
 */
export async function findEditor(
  db: Reader,
  doer: UserDoer,
  access: RepositoryAccess,
  branch: string,
): Promise<{ doer: UserDoer; asMaintainer: MaintainerPush | null }> {
  if (access.units.code >= accessModes.write) {
    return { doer: { ...doer, permit: permitOnFound(demandOn("write"), access) }, asMaintainer: null };
  }
  const asMaintainer = await findMaintainerPush(db, doer, access, [branch]);
  if (asMaintainer === null) {
    throw new Forbidden(`You may read "${access.owner.name}/${access.repository.name}", but not push to it`);
  }
  return { doer: asMaintainer.doer, asMaintainer };
}

/** Short names of the branches that a push moves; null when it does anything else, such as making or deleting one. */
export function onlyMovedBranches(commands: readonly PushCommand[]): string[] | null {
  const moves = commands.every(
    ({ name, oldOid, newOid }) => name.startsWith(branchPrefix) && oldOid !== null && newOid !== null,
  );
  return moves ? commands.map(({ name }) => name.slice(branchPrefix.length)) : null;
}

/**
 * Finds out whether somebody who may not write to a repository may move these branches, because each has an open pull request that
 * lets maintainers of its base edit it. They make and delete no branch. null: they may not.
 */
export async function findMaintainerPush(
  db: Reader,
  doer: UserDoer,
  access: RepositoryAccess,
  branches: readonly string[],
): Promise<MaintainerPush | null> {
  const maintained = await findMaintained(db, doer, access.repository.id);
  const found = branches.flatMap((branch) => maintained.get(branch) ?? []);
  if (found.length < branches.length) {
    return null;
  }
  const bases = new Map(found.map((one) => [one.baseId, one.baseName]));
  return {
    doer: {
      ...doer,
      permit: {
        ...permitOnFound(demandOn("participate"), access),
        also: [...bases].map(([id, name]) => permitOnId(demandOn("write"), id, name)),
      },
    },
    check: async ({ tx }) => {
      const now = await listMaintained(tx, access.repository.id, branches);
      const lost = branches.find((name) => !now.some(({ branch, baseId }) => branch === name && bases.has(baseId)));
      if (lost !== undefined) {
        throw new Forbidden(`No open pull request lets maintainers push to the branch "${lost}" any more`);
      }
    },
  };
}
