import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { Forge } from "../../spine/forge.ts";
import { mayMerge, refuseBranchChange, type BranchChange } from "./decide-change.ts";
import { Facts } from "./facts.ts";
import { loadRules } from "./rule-queries.ts";

export const triedChanges = ["push", "force-push", "delete", "merge"] as const;
export type TriedChange = (typeof triedChanges)[number];

/** What would happen if somebody tried to change a branch. */
export interface Trial {
  /** The name or pattern of the rule that decided; null: none did. */
  readonly rule: string | null;
  /** Why it would be refused; null: it would be allowed, as far as `depends` goes. */
  readonly refusal: string | null;
  /** It depends on what is pushed, or on the reviews and checks of the pull request. */
  readonly depends: boolean;
}

const changes: Readonly<Record<Exclude<TriedChange, "merge">, Omit<BranchChange, "branch">>> = {
  push: { oldOid: "a", newOid: "b", forced: false },
  "force-push": { oldOid: "a", newOid: "b", forced: true },
  delete: { oldOid: "a", newOid: null },
};

const refused = (refusal: string): Trial => ({ rule: null, refusal, depends: false });

/** Says whether a user might change a branch in this way: their access first, then the rules, as they would decide. Throws RulesTooCostly. */
export async function tryChange(
  forge: Pick<Forge, "config" | "database" | "identity">,
  { repository }: Pick<RepositoryAccess, "repository">,
  user: { id: number },
  change: TriedChange,
  branch: string,
): Promise<Trial> {
  const [{ repository: theirs }, rules] = await Promise.all([
    forge.identity.findSubject({ userId: user.id }, { repositoryId: repository.id }),
    loadRules(forge.database.db, repository.id, user.id),
  ]);
  const rule = rules.branches.find(branch);
  const byRule = (refusal: string | null, depends: boolean): Trial => ({
    rule: rule?.ruleName ?? null,
    refusal,
    depends,
  });
  if ((theirs?.units.code ?? accessModes.none) < accessModes.write) {
    return refused("they may not write to the code of the repository");
  }
  const { deny_deletes: noDeletes, deny_non_fast_forwards: noForce } = forge.config.git;
  if (change === "delete" && branch === repository.defaultBranch) {
    return refused("nobody may delete the default branch");
  }
  if ((change === "delete" && noDeletes) || (change === "force-push" && noForce)) {
    return refused("the operator of the server forbids it for all repositories");
  }
  if (rule === null) {
    return byRule(null, false);
  }
  if (change === "merge") {
    return mayMerge(rule, "user")
      ? byRule(null, true)
      : byRule(`protected branch ${branch}: you are not on the list of those who may merge into it`, false);
  }
  const facts = new Facts();
  const refusal = refuseBranchChange(rule, { branch, ...changes[change] }, "user", facts);
  return byRule(refusal, facts.missing.length > 0);
}
