import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { moveRefs } from "../refs/move-refs.ts";
import { refuseDeletion } from "../protections/decide-change.ts";
import type { BranchRule } from "../protections/branch-rules.ts";
import { lockRules, renameBranchProtection } from "../protections/edit-branch-protection.ts";
import { findBranchProtection } from "../protections/queries.ts";
import { setHead } from "../refs/queries.ts";
import type { Work } from "../../spine/work.ts";
import { checkBranchName } from "./create-branch.ts";

/**
 * Renames a branch; when it is the default one, the new name is the default one. A protection of exactly this branch gets
 * the new name, too. Then administrators of the repository rename it in spite of the rules; anybody else needs leave to delete
 * the old name and to push to the new one.
 * Throws InvalidInput (no name, or it exists), NotFound, RefsRefused (a protection, another name is in the way, or it moved in this moment).
 */
export async function renameBranch(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  branch: string,
  newName: string,
): Promise<void> {
  const { repository } = access;
  const found = await forge.git.refs.findRef(repository.id, `refs/heads/${branch}`);
  if (found === null) {
    throw new NotFound("branch", branch);
  }
  checkBranchName(newName, "name");
  if (newName === branch) {
    return;
  }
  if ((await forge.git.refs.findRef(repository.id, `refs/heads/${newName}`)) !== null) {
    throw new InvalidInput(`The branch "${newName}" exists already`, "name");
  }
  await forge.change(doer, async (work) => {
    await lockRules(work, access);
    const rule = await findMovingRule(work, repository.id, branch, newName);
    // The branch keeps its protection. An administrator of the repository may also rename the rule.
    const isRuleRenamed = rule !== null && access.mode >= accessModes.admin;
    if (isRuleRenamed) {
      await work.demand({ on: "repository", do: "admin", unit: "any" });
    }
    await moveRefs(work, {
      repository: namedRepository(access),
      changes: [
        { name: `refs/heads/${branch}`, oldOid: found.oid, newOid: null, peeled: null, isRuleRenamed },
        { name: `refs/heads/${newName}`, oldOid: null, newOid: found.oid, peeled: null, isRuleRenamed },
      ],
      reason: "rename branch",
      underLock: async (locked) => {
        if (locked.defaultBranch !== branch) {
          return locked;
        }
        // First, because the default branch is not deleted.
        await setHead(work.tx, repository.id, { defaultBranch: newName, empty: false });
        return { ...locked, defaultBranch: newName };
      },
    });
    if (rule !== null) {
      await renameBranchProtection(work, access, rule, newName);
    }
  });
}

/** Why a user may not rename a branch with this rule, as far as that is known before it has a new name; null if they may. */
export function refuseRename(rule: BranchRule | null, branch: string, { mode }: RepositoryAccess): string | null {
  const isRuleRenamed = rule?.ruleName === branch && mode >= accessModes.admin;
  return rule === null || isRuleRenamed ? null : refuseDeletion(rule, "user");
}

/** The protection of exactly this branch, which follows it to its new name unless there is one of that name. */
async function findMovingRule(work: Work, repositoryId: number, branch: string, newName: string) {
  const rule = await findBranchProtection(work.tx, repositoryId, branch);
  const other = rule === null ? null : await findBranchProtection(work.tx, repositoryId, newName);
  return rule !== null && other === null ? rule.row : null;
}
