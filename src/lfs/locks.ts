import type { Static } from "typebox";
import { Forbidden, NotFound } from "../domain/spine/errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { pageOfLocks, type LfsLock, type LockFilter } from "../domain/git/lfs/lock-queries.ts";
import { createLock, removeLock } from "../domain/git/lfs/locks.ts";
import { InvalidInput } from "../lib/errors.ts";
import type { LfsRequest } from "./open-request.ts";
import { presentLock } from "./present-lock.ts";
import type { LockInput, UnlockInput, VerifyLocksInput } from "./read-input.ts";

const pageSize = 100;
const longestPage = 1000;

/** Throws what createLock throws, and Forbidden for a deploy key, which is nobody to ask to unlock. */
export async function lock(
  forge: Forge,
  { access, actor, doer }: LfsRequest,
  input: Static<typeof LockInput>,
): Promise<unknown> {
  if (actor === null) {
    throw new Forbidden("A deploy key cannot hold locks");
  }
  const limit = forge.config.lfs.locks_per_repository;
  const made = await forge.change(doer, (work) =>
    createLock(work, { access, actor, path: input.path, refName: input.ref?.name ?? "", limit }),
  );
  return { lock: presentLock(made) };
}

/** Throws what removeLock throws. */
export async function unlock(
  forge: Forge,
  { access, actor, doer }: LfsRequest,
  id: string,
  input: Static<typeof UnlockInput>,
): Promise<unknown> {
  if (!isLockId(id)) {
    throw new NotFound("lock", id);
  }
  const removed = await forge.change(doer, (work) =>
    removeLock(work, { access, actor, id: Number(id), force: input.force === true }),
  );
  return { lock: presentLock(removed) };
}

/**
 * Answers `path`, `id`, `cursor` and `limit`. A lock holds for every branch, so `refspec` changes nothing: a user who
 * works on another branch must see the same locks.
 */
export async function listLocks(forge: Forge, { access }: LfsRequest, query: URLSearchParams): Promise<unknown> {
  const [path, id] = [query.get("path") ?? "", query.get("id") ?? ""];
  const filter: LockFilter = {
    ...(path === "" ? {} : { path }),
    ...(id === "" ? {} : { id: isLockId(id) ? Number(id) : 0 }),
  };
  const { locks, next } = await readPage(
    forge,
    access.repository.id,
    filter,
    query.get("cursor"),
    readLimit(query.get("limit")),
  );
  return { locks: locks.map(presentLock), ...next };
}

/** All locks, those of the caller apart: asked before a push. */
export async function verifyLocks(
  forge: Forge,
  { access, actor }: LfsRequest,
  input: Static<typeof VerifyLocksInput>,
): Promise<unknown> {
  const { locks, next } = await readPage(forge, access.repository.id, {}, input.cursor ?? null, input.limit ?? 0);
  const isOurs = ({ userId }: LfsLock) => userId === actor?.id;
  return {
    ours: locks.filter(isOurs).map(presentLock),
    theirs: locks.filter((one) => !isOurs(one)).map(presentLock),
    ...next,
  };
}

/** A cursor is the id of the last lock before the page. Throws InvalidInput for what is none. */
async function readPage(
  forge: Forge,
  repositoryId: number,
  filter: LockFilter,
  cursor: string | null,
  limit: number,
): Promise<{ locks: LfsLock[]; next: { next_cursor?: string } }> {
  if (cursor !== null && cursor !== "" && !isLockId(cursor)) {
    throw new InvalidInput(`"${cursor.slice(0, 100)}" is not a cursor`, "cursor");
  }
  const size = limit < 1 ? pageSize : Math.min(limit, longestPage);
  const found = await pageOfLocks(forge.database.db, repositoryId, filter, {
    afterId: Number(cursor ?? 0),
    size: size + 1,
  });
  const locks = found.slice(0, size);
  const last = locks.at(-1);
  return { locks, next: found.length > size && last !== undefined ? { next_cursor: String(last.id) } : {} };
}

/** 0 stands for the usual size. Throws InvalidInput for what is no number. */
function readLimit(text: string | null): number {
  if (text === null || text === "") {
    return 0;
  }
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidInput(`"${text.slice(0, 100)}" is not a number of locks`, "limit");
  }
  return Number(text);
}

function isLockId(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
