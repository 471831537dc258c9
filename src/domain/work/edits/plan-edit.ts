import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { compileFilePatterns } from "../../../lib/name-pattern.ts";
import type { BranchRule } from "../../git/protections/branch-rules.ts";
import { mayPush, type RuleDoer } from "../../git/protections/decide-change.ts";
import { loadRules } from "../../git/protections/rule-queries.ts";
import type { UserDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { demandTo, isAllowed } from "../../spine/guard.ts";
import { findMaintainerPush } from "../pulls/maintainer-push.ts";

/** Where somebody can commit a change of a branch's files. */
export interface EditPlan {
  /** `branch`: to the branch itself or to a new one; `same-branch`: to the branch alone; null: nowhere. */
  readonly to: "branch" | "same-branch" | "new-branch" | "fork" | null;
  /** Why not to the branch itself; null if they may. A sentence. */
  readonly why: string | null;
}

/** What forks ask for: nothing of the repository changes. */
export const demandOfForker = demandTo({ on: "repository", do: "participate", unit: "code" }, "write", ["repository"], {
  signedIn: true,
  onArchived: "allowed",
});

/** Finds out before a change is typed where the doer can commit it. What else refuses it is found when it is committed. */
export async function planEdit(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  branch: string,
  path: string,
): Promise<EditPlan> {
  const { repository, owner } = access;
  const name = `${owner.name}/${repository.name}`;
  if (repository.archivedAt !== null) {
    return { to: null, why: `${name} is archived; unarchive it in its settings to change its files.` };
  }
  if (repository.mirror) {
    return { to: null, why: `${name} is a mirror of another repository; change the files there.` };
  }
  const db = forge.database.db;
  const isWriter = access.units.code >= accessModes.write;
  const isMaintainer = !isWriter && (await findMaintainerPush(db, doer, access, [branch])) !== null;
  const mayFork = isAllowed({ ...doer, repository: access }, demandOfForker) && !repository.empty;
  if (!isWriter && !isMaintainer) {
    const why = `You may read ${name}, but not write to it.`;
    return { to: mayFork ? "fork" : null, why };
  }
  const rule = (await loadRules(db, repository.id, doer.actor.id)).branches.find(branch);
  const refusal = rule === null ? null : refuseEdit(forge, rule, isMaintainer ? "maintainer" : "user", branch, path);
  if (refusal === null) {
    return { to: isMaintainer ? "same-branch" : "branch", why: null };
  }
  return { to: isWriter && !repository.empty ? "new-branch" : mayFork ? "fork" : null, why: refusal };
}

/** Why a protection refuses a commit of this file, as far as that is known before there is one. */
function refuseEdit(forge: Forge, rule: BranchRule, doer: RuleDoer, branch: string, path: string): string | null {
  const protectedBranch = `The branch "${branch}" is protected`;
  if (!mayPush(rule, doer) && !matches(rule.unprotectedFilePatterns, path)) {
    return rule.enablePush
      ? `${protectedBranch}, and you are not on the list of those who may push to it.`
      : `${protectedBranch}: changes come by pull requests.`;
  }
  if (rule.requireSignedCommits && forge.config.git.signing_key === "") {
    return `${protectedBranch}: its commits have to be signed, and this server does not sign.`;
  }
  return matches(rule.protectedFilePatterns, path)
    ? `${protectedBranch}, and the file "${path.slice(0, 200)}" is one that nobody changes there.`
    : null;
}

function matches(patterns: string, path: string): boolean {
  return patterns !== "" && path !== "" && compileFilePatterns(patterns, "patterns")(path);
}
