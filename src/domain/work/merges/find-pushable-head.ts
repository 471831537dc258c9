import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { MaintainerPush } from "../../git/refs/move-refs.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Forbidden } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { findMaintainerPush } from "../pulls/maintainer-push.ts";
import type { IssueAndPull } from "../pulls/queries.ts";
import { alsoAskedFor, permitToPush } from "./permit-to-push.ts";

/** The repository of a head branch, and the doer who pushes there. */
export interface PushableHead {
  readonly access: RepositoryAccess;
  readonly pusher: UserDoer;
  /** Where they may push because they maintain the base. */
  readonly asMaintainer: MaintainerPush | null;
}

/** The repository that has the head branch, for somebody who may push there. Throws InvalidInput, Forbidden. */
export async function findPushableHead(
  forge: Forge,
  doer: UserDoer,
  base: RepositoryAccess,
  { pull, issue }: IssueAndPull,
): Promise<PushableHead> {
  const { headRepositoryId, headBranch, flow } = pull;
  if (flow !== "branch" || headRepositoryId === null) {
    throw new InvalidInput(`Pull request #${issue.number} is from no branch that could be updated`);
  }
  const { db } = forge.database;
  const access =
    headRepositoryId === base.repository.id
      ? base
      : ((await findVisibleRepositories(db, doer, [headRepositoryId])).get(headRepositoryId) ?? null);
  if (access !== null && access.units.code >= accessModes.write) {
    return { access, pusher: permitToPush(doer, access), asMaintainer: null };
  }
  const asMaintainer =
    access === null || access.blocked || access.units.code < accessModes.read
      ? null
      : await findMaintainerPush(db, doer, access, [headBranch]);
  if (access === null || asMaintainer === null) {
    throw new Forbidden(`You may not push to the branch "${headBranch}" of pull request #${issue.number}`);
  }
  return { access, pusher: alsoAskedFor(asMaintainer.doer, doer), asMaintainer };
}
