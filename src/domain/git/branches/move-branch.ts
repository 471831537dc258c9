import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { moveRefs } from "../refs/move-refs.ts";

export interface BranchMove {
  /** A commit of the repository, by its oid or the first digits of it. */
  to: string;
  /** Where the branch has to be; anywhere without it. */
  from?: string | undefined;
  /** Whether the branch may give up commits. */
  force: boolean;
}

/**
 * Moves a branch to another commit of the repository. Throws NotFound (the branch, the commit), Conflict when it is not at
 * `from`, or gives up commits and was not to, RefsRefused (a rule, or it moved in this moment).
 */
export function moveBranch(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  branch: string,
  move: BranchMove,
): Promise<void> {
  return againIfRepacked(() => tryMove(forge, doer, access, branch, move));
}

async function tryMove(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  branch: string,
  move: BranchMove,
): Promise<void> {
  const { repository } = access;
  const name = `refs/heads/${branch}`;
  const found = await forge.git.refs.findRef(repository.id, name);
  if (found === null) {
    throw new NotFound("branch", branch);
  }
  const target = await forge.git.revisions.findObject({ ...repository, generation: found.generation }, move.to);
  if (target === null || target.object.type !== "commit") {
    throw new NotFound("commit", move.to);
  }
  const { oid } = target.object;
  if (move.from !== undefined && move.from.toLowerCase() !== found.oid) {
    throw new Conflict(`The branch "${branch}" is at ${found.oid}, not at "${move.from.slice(0, 80)}"`, { branch });
  }
  if (oid === found.oid) {
    return;
  }
  const forced = !(await forge.git.engine.call(target.view, "isAncestor", { ancestor: found.oid, descendant: oid }));
  if (forced && !move.force) {
    throw new Conflict(`The branch "${branch}" would give up commits; send force to have it do so`, { branch });
  }
  await forge.change(doer, (work) =>
    moveRefs(work, {
      repository: namedRepository(access),
      changes: [{ name, oldOid: found.oid, newOid: oid, peeled: null, forced }],
      reason: "move branch",
      checkedIn: target.view,
    }),
  );
}
