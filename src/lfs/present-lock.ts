import type { LfsLock } from "../domain/git/lfs/lock-queries.ts";

/** A lock as LFS's locking API shows it: RFC 3339 in whole seconds. */
export function presentLock(lock: LfsLock) {
  return {
    id: String(lock.id),
    path: lock.path,
    locked_at: `${lock.lockedAt.toISOString().slice(0, 19)}Z`,
    owner: { name: lock.userName },
  };
}
