import { accessModes } from "../../../db/schema/owners.ts";
import type { Actor, RepositoryAccess } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import { countLocks, deleteLock, findLock, insertLock, type LfsLock } from "./lock-queries.ts";
import type { Work } from "../../spine/work.ts";

/** Somebody has locked the path already. */
export class LockExists extends StithyError {
  constructor(readonly lock: LfsLock) {
    super("conflict", "lfs-lock-exists", `"${lock.path}" is locked by ${lock.userName}`, { path: lock.path });
  }
}

/** Bytes: what an entry of the index over paths has room for. */
const longestPath = 2048;

/**
 * Locks a path for a user who may write: for every branch, whichever the client names. Throws InvalidInput for what is no path
 * within the repository, LockExists, Forbidden when the repository has as many locks as it may, NotFound when it is gone.
 */
export async function createLock(
  work: Work,
  request: { access: RepositoryAccess; actor: Actor; path: string; refName: string; limit: number },
): Promise<LfsLock> {
  const { tx } = work;
  const { path, limit } = request;
  const { id: repositoryId, name } = request.access.repository;
  if (
    Buffer.byteLength(path) > longestPath ||
    path.split("/").some((part) => part === "" || part === "." || part === "..") ||
    path.includes("\0")
  ) {
    throw new InvalidInput(`"${path.slice(0, 100)}" is not the path of a file in the repository`, "path");
  }
  // Locks of one repository are made one after another, so that they can be counted.
  if ((await lockRepositoryRow(tx, repositoryId)) === null) {
    throw new NotFound("repository", name);
  }
  const existing = await findLock(tx, repositoryId, { path });
  if (existing !== null) {
    throw new LockExists(existing);
  }
  if ((await countLocks(tx, repositoryId)) >= limit) {
    throw new Forbidden(`The repository "${name}" has ${limit} locks, which is the most it may have`);
  }
  await insertLock(tx, { repositoryId, path, userId: request.actor.id, refName: request.refName });
  return getLock(tx, repositoryId, { path });
}

/**
 * Removes a lock and answers what it was. One's own; with `force` anybody's, for administrators of the repository.
 * Throws NotFound, Forbidden, and what `lookAgain` throws.
 */
export async function removeLock(
  work: Work,
  request: { access: RepositoryAccess; actor: Actor | null; id: number; force: boolean },
): Promise<LfsLock> {
  const { tx } = work;
  const { repository, mode } = request.access;
  const lock = await getLock(tx, repository.id, { id: request.id });
  if (lock.userId !== request.actor?.id) {
    if (!request.force) {
      throw new Forbidden(
        `"${lock.path}" is locked by ${lock.userName}: administrators of the repository may remove the lock by force`,
      );
    }
    if (mode < accessModes.admin) {
      throw new Forbidden(
        `Only administrators of the repository may remove the lock of ${lock.userName} on "${lock.path}"`,
      );
    }
    // `mode` is of when the request came in, before its body.
    await work.demand({ on: "repository", do: "admin", unit: "any" });
  }
  if (!(await deleteLock(tx, repository.id, lock.id))) {
    throw new NotFound("lock", String(request.id));
  }
  return lock;
}

async function getLock(
  tx: Transaction,
  repositoryId: number,
  filter: { id: number } | { path: string },
): Promise<LfsLock> {
  const lock = await findLock(tx, repositoryId, filter);
  if (lock === null) {
    throw new NotFound("lock", "id" in filter ? String(filter.id) : filter.path);
  }
  return lock;
}
