import type { RepositoryAccess } from "../../../auth/subject.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { parsePointer, pointerLimitBytes, type LfsPointer } from "../../git/lfs/pointer.ts";
import { findObjects } from "../../git/lfs/queries.ts";
import { storeObject } from "../../git/lfs/store-object.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { RemoteFailed } from "./errors.ts";
import { LfsRemote, type LfsPlan } from "./lfs-remote.ts";
import { explained, type Remote } from "./open-remote.ts";

/** Objects in one request, and those that come at once. */
const objectsAtOnce = 100;
const transfersAtOnce = 3;
/** Codes of a server for an object that it does not have (any more). */
const goneCodes = new Set([404, 410]);

export interface BringLfs {
  readonly remote: Remote;
  /** See LfsRemote. */
  readonly endpoint: string;
  readonly reason: string;
  readonly signal?: AbortSignal;
  /** Called with how many of the missing objects have come. */
  readonly onObject?: (done: number, total: number) => Promise<void>;
}

/**
 * Brings the LFS objects that files of the repository's history point to and the repository has not. Those that the other server has not, either, are left
 * out: histories outlive their objects. Returns how many came, and how many were left out. Throws RemoteFailed and AddressRefused.
 */
export async function bringLfs(
  forge: Forge,
  access: RepositoryAccess,
  request: BringLfs,
): Promise<{ brought: number; gone: number }> {
  const { remote, onObject } = request;
  const { repository } = access;
  const wanted = await pointersIn(forge, await forge.git.views.current(repository));
  const missing = await withoutThose(forge, repository.id, wanted);
  const lfs = openLfs(forge, request);
  let done = 0;
  let gone = 0;
  for (let at = 0; at < missing.length; at += objectsAtOnce) {
    const some = missing.slice(at, at + objectsAtOnce);
    const plans = await explained(remote.address, () => lfs.batch("download", some));
    const left = plans.filter(({ oid }) => some.some((one) => one.oid === oid));
    const take = async (): Promise<void> => {
      for (let plan = left.shift(); plan !== undefined; plan = left.shift()) {
        const isHere = await bringOne(forge, access, request, lfs, some, plan);
        gone += isHere ? 0 : 1;
        await onObject?.(++done, missing.length);
      }
    };
    await explained(remote.address, () => allSettled(Array.from({ length: transfersAtOnce }, take)));
  }
  return { brought: done - gone, gone };
}

export function openLfs(
  { outbound, config }: Pick<Forge, "outbound" | "config">,
  { remote, endpoint, signal }: Pick<BringLfs, "remote" | "endpoint" | "signal">,
): LfsRemote {
  const { address, credentials } = remote;
  return new LfsRemote(outbound, address, credentials, endpoint, config.git.push_timeout_seconds * 1000, signal);
}

/** Reads the LFS pointers in the small files of some packs, each object once. */
export async function pointersIn(forge: Pick<Forge, "git">, view: RepositoryView): Promise<LfsPointer[]> {
  const files = await forge.git.engine.write(view, "smallBlobs", {
    below: pointerLimitBytes,
    beginning: "version https://",
  });
  return [...new Map(files.flatMap((bytes) => parsePointer(bytes) ?? []).map((one) => [one.oid, one])).values()];
}

async function withoutThose(
  { database }: Pick<Forge, "database">,
  repositoryId: number,
  wanted: readonly LfsPointer[],
): Promise<LfsPointer[]> {
  const present = await findObjects(
    database.db,
    repositoryId,
    wanted.map(({ oid }) => oid),
  );
  return wanted.filter(({ oid }) => !present.has(oid));
}

/** Returns whether the object is stored now; false if the other server does not have it. */
async function bringOne(
  forge: Forge,
  access: RepositoryAccess,
  { reason }: BringLfs,
  lfs: LfsRemote,
  wanted: readonly LfsPointer[],
  { oid, actions, error }: LfsPlan,
): Promise<boolean> {
  const pointer = wanted.find((one) => one.oid === oid);
  const action = actions?.download;
  if (pointer === undefined || (error != null && goneCodes.has(error.code))) {
    return false;
  }
  if (action === undefined) {
    throw new RemoteFailed(
      "refused",
      `The LFS object ${oid} cannot be had: ${(error?.message ?? "the other server does not say from where").slice(0, 200)}`,
    );
  }
  const content = await lfs.download(pointer, action);
  await storeObject(forge, serverDoer(reason), { access, oid, content });
  return true;
}

/** Waits for all, also where one fails: what is under way uses what its caller will give up. */
async function allSettled(works: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    throw failed.reason;
  }
}
