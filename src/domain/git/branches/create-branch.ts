import type { RepositoryAccess } from "../../../auth/subject.ts";
import { isBranchName } from "../../../git/refs/ref-name.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { moveRefs } from "../refs/move-refs.ts";

/** As in the family: what the addresses of a forge can hold comfortably. */
const longestName = 100;

/** Throws InvalidInput when no branch can have this name. */
export function checkBranchName(name: string, field: string): void {
  if (name.length > longestName || !isBranchName(name)) {
    throw new InvalidInput(`"${name.slice(0, longestName)}" cannot be the name of a branch`, field);
  }
}

/**
 * Creates a branch where another branch, a tag or a commit is; the default branch otherwise. Answers the commit's oid.
 * Throws InvalidInput, NotFound (the start), Conflict (it exists), RefsRefused (another name is in the way).
 */
export async function createBranch(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  branch: { name: string; start?: string | undefined },
): Promise<string> {
  const { repository } = access;
  checkBranchName(branch.name, "new_branch_name");
  const name = `refs/heads/${branch.name}`;
  const start = await forge.git.revisions.find(repository, branch.start);
  if (start === null) {
    throw new NotFound("branch, tag or commit", branch.start ?? repository.defaultBranch);
  }
  if ((await forge.git.refs.findRef(repository.id, name)) !== null) {
    throw new Conflict(`The branch "${branch.name}" exists already`, { branch: branch.name });
  }
  await forge.change(doer, (work) =>
    moveRefs(work, {
      repository: namedRepository(access),
      changes: [{ name, oldOid: null, newOid: start.commit, peeled: null }],
      reason: "create branch",
    }),
  );
  return start.commit;
}
