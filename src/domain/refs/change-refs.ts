import type { Transaction } from "../../db/client.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { StagedPack } from "../../git/workers/pack-destination.ts";
import type { RepositoryView } from "../../git/workers/repository-view.ts";
import { StithyError } from "../../lib/errors.ts";
import { recordMovedRefs } from "../activities/record.ts";
import { Forbidden, NotFound, RepositoryArchived } from "../errors.ts";
import { demandPacks } from "../packs/packs-replaced.ts";
import { linkPacks } from "../packs/queries.ts";
import { decideChanges, type DecidedChange } from "./decide-changes.ts";
import { hasAccess, hasBranch, lockRepository, mayDeploy, readRefsAround, setHead, writeRefs, type LockedRepository, type RefChange } from "./queries.ts";
import type { RefPolicy } from "./ref-policy.ts";

export interface ChangeRefs {
  repositoryId: number;
  repositoryName: string;
  /** Who does it, for the reflog; null: the server itself. */
  actorId: number | null;
  /** The deploy key that does it instead of a user. */
  deployKeyId?: number | null;
  policy: RefPolicy;
  /** For the reflog, such as "push". */
  reason: string;
  changes: readonly RefChange[];
  /** The packs that bring the new objects; where there are any, namePacks runs the transaction. */
  packs: readonly StagedPack[];
  /** All changes or none. */
  atomic: boolean;
  /** The view in which the new objects' references were looked up, where any is new: its packs have to be the repository's still. */
  checkedIn?: RepositoryView;
}

/** One or more changes of an atomic write were refused, so none was made. Carries what was decided of each. */
export class RefsRefused extends StithyError {
  constructor(readonly decided: readonly DecidedChange[]) {
    super("refs-refused", decided.find((one) => one.refusal !== null)?.refusal ?? "The refs could not be changed");
  }
}

const branchPrefix = "refs/heads/";

/**
 * The one way in which refs move: takes the repository, compares and swaps each ref, links the packs, keeps the default
 * branch sensible. All in the caller's transaction. What was decided before, when the request came in, is decided again
 * under the lock: a pack may take minutes, in which the repository is archived or deleted, or the actor's access ends.
 * Throws NotFound, RepositoryArchived, Forbidden, PacksReplaced, and RefsRefused when `atomic` and any is refused.
 */
export async function changeRefs(tx: Transaction, request: ChangeRefs): Promise<DecidedChange[]> {
  const { repositoryId } = request;
  const repository = await lockRepository(tx, repositoryId);
  if (repository === null) {
    throw new NotFound("repository", request.repositoryName);
  }
  if (repository.archived) {
    throw new RepositoryArchived(request.repositoryName);
  }
  const userLost = request.actorId !== null && !(await hasAccess(tx, repositoryId, request.actorId, accessModes.write));
  const keyLost = request.deployKeyId != null && !(await mayDeploy(tx, repositoryId, request.deployKeyId));
  if (userLost || keyLost) {
    throw new Forbidden(`You may no longer write to the repository "${request.repositoryName}"`);
  }
  if (request.checkedIn !== undefined) {
    await demandPacks(tx, { id: repositoryId, name: request.repositoryName, generation: repository.generation - 1 }, request.checkedIn);
  }
  const current = await readRefsAround(tx, repositoryId, request.changes);
  const decided = decideChanges(current, request.changes, branchPrefix + repository.defaultBranch, request.policy);
  if (request.atomic && decided.some((one) => one.refusal !== null)) {
    throw new RefsRefused(decided);
  }
  // A ref that is to be deleted and is not there takes no write: the deletion counts as done, as with git.
  const accepted = decided.filter((one) => one.refusal === null).map((one) => one.change).filter((change) => change.oldOid !== null || change.newOid !== null);
  if (accepted.length > 0) {
    await linkPacks(tx, repositoryId, request.packs);
    await writeRefs(tx, repositoryId, accepted, request);
    if (request.actorId !== null) {
      await recordMovedRefs(tx, request.actorId, repositoryId, accepted);
    }
    await keepHead(tx, repositoryId, repository, accepted);
  }
  return decided;
}

/** An empty repository takes its first branch as the default one, unless the configured one is among the new. The changes are made. */
async function keepHead(tx: Transaction, repositoryId: number, before: LockedRepository, changes: readonly RefChange[]): Promise<void> {
  const changed = changes.filter((change) => change.name.startsWith(branchPrefix));
  // All there are where there were none; enough to know that there is one where there were some.
  const branches = new Set(changed.filter((change) => change.newOid !== null).map((change) => change.name));
  const mayBeEmpty = before.empty || changed.some((change) => change.newOid === null);
  const empty = mayBeEmpty && branches.size === 0 && !(await hasBranch(tx, repositoryId));
  const firstBranch = before.empty && !empty && !branches.has(branchPrefix + before.defaultBranch);
  const preferred = ["main", "master"].find((name) => branches.has(branchPrefix + name)) ?? [...branches][0]?.slice(branchPrefix.length);
  const defaultBranch = firstBranch && preferred !== undefined ? preferred : before.defaultBranch;
  if (empty !== before.empty || defaultBranch !== before.defaultBranch) {
    await setHead(tx, repositoryId, { defaultBranch, empty });
  }
}
