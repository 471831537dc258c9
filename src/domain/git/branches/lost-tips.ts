import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { CommitRecord } from "../../../git/log/commit-record.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { moveRefs } from "../refs/move-refs.ts";
import { findLeftTip, listLeftTips, type LeftTip } from "../refs/reflog-queries.ts";
import { checkBranchName } from "./create-branch.ts";

/** A commit that a branch was at, and that it gave up: it was deleted, or moved to where it does not reach the commit. */
export interface LostTip {
  readonly tip: LeftTip;
  readonly commit: CommitRecord;
  /** How many commits it gave up. */
  readonly commits: number;
}

/** The moves that are looked at, the latest ones. */
const mostMoves = 1000;
const mostLooked = 200_000;
const dayMs = 24 * 60 * 60_000;

/** How long objects that no ref reaches are kept; before that, a repack may have dropped them. */
function keptSince({ config }: Forge): Date {
  return new Date(Date.now() - config.git.unreachable_days * dayMs);
}

/**
 * The tips that branches gave up as long as they are kept, the last one first. They are for those who may write to the code: nobody else sees
 * what no branch reaches.
 */
export async function listLostTips(
  forge: Forge,
  { repository }: RepositoryAccess,
  signal?: AbortSignal,
): Promise<LostTip[]> {
  const left = await listLeftTips(forge.database.db, repository.id, keptSince(forge), mostMoves);
  const main = await forge.git.revisions.find(repository);
  const view = await forge.git.views.current(repository);
  const oids = [...new Set(left.flatMap(({ oldOid, newOid }) => [oldOid, newOid ?? oldOid]))];
  const commits = new Map<string, CommitRecord>();
  for (let at = 0; at < oids.length; at += 200) {
    const some = await forge.git.commits.find(view, oids.slice(at, at + 200));
    some.forEach((commit, oid) => commits.set(oid, commit));
  }
  const seen = new Set<string>();
  const known = left.flatMap((tip) => {
    const commit = commits.get(tip.oldOid);
    const base = tip.newOid ?? main?.commit ?? tip.oldOid;
    const key = `${tip.name} ${tip.oldOid}`;
    if (commit === undefined || (base !== main?.commit && !commits.has(base)) || seen.has(key)) {
      return [];
    }
    seen.add(key);
    return [{ tip, commit, base }];
  });
  const pairs = known.map(({ tip, base }) => ({ base, tip: tip.oldOid }));
  const counts = await forge.git.engine.call(view, "aheadBehind", { pairs, most: mostLooked }, signal);
  return known.flatMap(({ tip, commit }, index) => {
    const given = counts[index]?.ahead ?? 0;
    return tip.newOid === null || given > 0 ? [{ tip, commit, commits: given }] : [];
  });
}

/** A tip that a branch gave up, with the view that has it. Throws NotFound where it is none, or is not kept any more. */
export async function getLostTip(
  forge: Forge,
  { repository }: RepositoryAccess,
  id: number,
): Promise<{ tip: LeftTip; view: RepositoryView }> {
  const tip = await findLeftTip(forge.database.db, repository.id, id, keptSince(forge));
  const view = await forge.git.views.current(repository);
  const isThere = tip !== null && (await forge.git.commits.find(view, [tip.oldOid])).size > 0;
  if (tip === null || !isThere) {
    throw new NotFound("former tip of a branch", String(id));
  }
  return { tip, view };
}

/**
 * Makes a branch where one was before. Throws InvalidInput (the name), NotFound (it is not kept any more), Conflict (the branch exists),
 * RefsRefused (a protection, or another name is in the way).
 */
export function restoreBranch(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  { id, name }: { id: number; name: string },
): Promise<void> {
  return againIfRepacked(async () => {
    checkBranchName(name, "name");
    const { repository } = access;
    const { tip, view } = await getLostTip(forge, access, id);
    const fullName = `refs/heads/${name}`;
    if ((await forge.git.refs.findRef(repository.id, fullName)) !== null) {
      throw new Conflict(`The branch "${name}" exists already`, { branch: name });
    }
    await checkWhole(forge, view, tip.oldOid, await forge.git.refs.listOids(repository.id));
    await forge.change(doer, (work) =>
      moveRefs(work, {
        repository: namedRepository(access),
        changes: [{ name: fullName, oldOid: null, newOid: tip.oldOid, peeled: null }],
        reason: "restore branch",
        checkedIn: view,
      }),
    );
  });
}

/** Whether all that the commit reaches is there. No ref says so. Throws NotFound. */
async function checkWhole(forge: Forge, view: RepositoryView, oid: string, oldTips: readonly string[]): Promise<void> {
  try {
    await forge.git.engine.index({
      view,
      path: null,
      directory: forge.files.packDirectory,
      newTips: [oid],
      oldTips,
      moves: [],
      check: "strict",
      limits: { objectBytes: 0, totalInflatedBytes: 0, objectCount: 0, inflationRatio: 0, deltaDepth: 0 },
    });
  } catch (error) {
    throw error instanceof MissingObject ? new NotFound("commit", oid) : error;
  }
}
