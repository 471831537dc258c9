import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { identityOf } from "../../git/commits/identity.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { linkObjectsOf } from "../../git/lfs/queries.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { bringObjects, type BroughtObjects } from "./bring-objects.ts";
import { Diverged, UpstreamConflict } from "./errors.ts";
import { findUpstream, getParent, type Upstream } from "./find-upstream.ts";

/** The result for the branch, in the words of the family's MergeUpstreamResponse. */
export type SyncOutcome = "up-to-date" | "fast-forward" | "merge";

export interface SyncRequest {
  /** Short name of the fork's branch. */
  branch: string;
  /** If the fork has commits of its own, the sync is refused, or it merges both. */
  diverged: "refuse" | "merge";
  /** Where the parent has no branch of the name: its default branch is taken, or it is refused. */
  otherwise: "default" | "refuse";
}

/**
 * Brings a branch of a fork to where its parent's is. Objects are copied only as far as the fork does not reach them. The
 * rules for branches hold as for a push. Throws NotAFork, NotFound (the parent, a branch), Diverged, UpstreamConflict,
 * RefsRefused (also when the branch moved meanwhile), and what `moveRefs` throws.
 */
export async function syncFork(
  forge: Forge,
  doer: UserDoer,
  fork: RepositoryAccess,
  request: SyncRequest,
): Promise<SyncOutcome> {
  return againIfRepacked(async () => {
    const upstream = await findUpstream(forge, doer, fork, request.branch, request.otherwise === "default");
    const { theirs, ahead, behind } = upstream;
    if (theirs === null) {
      throw new NotFound("branch of the parent", request.branch);
    }
    if (behind === 0) {
      return "up-to-date";
    }
    if (ahead > 0 && request.diverged === "refuse") {
      throw new Diverged(request.branch, nameOf(upstream.parent));
    }
    forge.files.room.demand();
    await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
    const brought = await bringObjects(forge, fork, { ...upstream, theirs }, scratch.path);
    const sync = { request, upstream, brought, scratch: scratch.path };
    if (ahead === 0) {
      await move(forge, doer, fork, sync, { oid: theirs, packs: listOf(brought.pack) });
      return "fast-forward";
    }
    const merged = await merge(forge, doer, fork, { ...sync, theirs });
    await move(forge, doer, fork, sync, { oid: merged.commit, packs: [...listOf(brought.pack), merged.pack] });
    return "merge";
  });
}

interface Sync {
  request: SyncRequest;
  upstream: Upstream;
  brought: BroughtObjects;
  /** A directory for new packs. */
  scratch: string;
}

const listOf = (pack: StagedPack | null) => (pack === null ? [] : [pack]);
const nameOf = ({ owner, repository }: RepositoryAccess) => `${owner.name}/${repository.name}`;

async function merge(
  forge: Forge,
  doer: UserDoer,
  fork: RepositoryAccess,
  { request, upstream, brought, scratch, theirs }: Sync & { theirs: string },
): Promise<{ commit: string; pack: StagedPack }> {
  const { parent, own, branch } = upstream;
  const now = { seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 };
  const signature = { ...identityOf(forge.addresses, doer.actor), ...now };
  const into = request.branch === fork.repository.defaultBranch ? "" : ` into ${request.branch}`;
  const address = forge.addresses.own.clone(parent.owner.name, parent.repository.name);
  const { view } = brought;
  const { commit, merged, pack } = await forge.git.engine.write(
    { ...view, packs: [...listOf(brought.pack).map(({ path }) => path), ...view.packs] },
    "commitMerge",
    {
      ours: own,
      theirs,
      base: null,
      labels: { ours: request.branch, base: "merged common ancestors", theirs: `${nameOf(parent)}/${branch}` },
      parents: [own, theirs],
      author: signature,
      committer: signature,
      message: `Merge branch '${branch}' of ${address}${into}\n`,
      destination: { directory: forge.files.packDirectory, temporary: scratch },
    },
  );
  if (commit === null || pack === null) {
    throw new UpstreamConflict(
      request.branch,
      nameOf(parent),
      merged.conflicts.map(({ path }) => path),
    );
  }
  return { commit, pack };
}

async function move(
  forge: Forge,
  doer: UserDoer,
  fork: RepositoryAccess,
  { request, upstream, brought }: Sync,
  { oid, packs }: { oid: string; packs: readonly StagedPack[] },
): Promise<void> {
  await forge.change(doer, { packs }, async (work) => {
    // Objects may have taken minutes: whether the parent may be read is looked at again, with the rest.
    await getParent(work.tx, work.doer.kind === "user" ? work.doer : doer, fork);
    await moveRefs(work, {
      repository: namedRepository(fork),
      changes: [
        { name: `refs/heads/${request.branch}`, oldOid: upstream.own, newOid: oid, peeled: null, forced: false },
      ],
      reason: "sync fork",
      packs,
      checkedIn: brought.view,
    });
    await linkObjectsOf(work.tx, upstream.parent.repository.id, fork.repository.id, brought.lfsOids);
  });
}
