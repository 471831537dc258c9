import { compileNamePattern, type NamePattern } from "../../../lib/name-pattern.ts";
import { patternWork } from "../../../lib/pattern-steps.ts";
import type { Facts } from "./facts.ts";
import type { BranchRule, TagRules } from "./branch-rules.ts";

/**
 * The kind of doer who changes a ref. The guard has checked that users and deploy keys may write to the code. A
 * maintainer may not, but edits a pull request from the branch: only a list that names them lets them push to a
 * protected branch.
 */
export type RuleDoer = "user" | "deploy-key" | "maintainer";

/** The latest status of a context on the commit that is to be merged. */
export interface MergeStatus {
  readonly context: string;
  readonly state: string;
}

/**
 * The state of a pull request for the branch that it is merged into. With it, a change counts as a merge: the merge
 * list, the approvals and the status checks decide about it, not the push list.
 */
export interface MergeState {
  /** Official approvals: by those on the approvals list where it is enabled, else by those who may write. Stale ones are left out where the rule ignores them. */
  readonly approvals: number;
  /** An official review asks for changes. */
  readonly rejected: boolean;
  /** An official review is asked for and not given. */
  readonly requested: boolean;
  /** The branch has commits that the pull request does not have. */
  readonly outdated: boolean;
  readonly statuses: readonly MergeStatus[];
  /** An administrator of the repository merges in spite of reviews, checks and protected files. */
  readonly overrides: boolean;
}

/** A change of a branch. */
export interface BranchChange {
  /** Short name of the branch. */
  readonly branch: string;
  /** null: it is new. */
  readonly oldOid: string | null;
  /** null: it is deleted. */
  readonly newOid: string | null;
  /** Whether it gives up commits, where that is known already. */
  readonly forced?: boolean | undefined;
  readonly merge?: MergeState | undefined;
}

/** Why a rule refuses a change of a branch; null when it allows it. What it has to know and does not, `facts` notes. */
export function refuseBranchChange(
  rule: BranchRule,
  change: BranchChange,
  doer: RuleDoer,
  facts: Facts,
): string | null {
  const { oldOid, newOid } = change;
  const reason =
    newOid === null
      ? refuseDeletion(rule, doer)
      : change.merge === undefined
        ? refusePush(rule, { ...change, newOid }, doer, facts)
        : refuseMerge(rule, { from: oldOid, to: newOid }, change.merge, doer, facts);
  return reason === null ? null : `protected branch ${change.branch}: ${reason}`;
}

/** Why the rules refuse that somebody makes, moves or deletes a tag; null when they allow it. `tag`: its short name. */
export function refuseTagChange(rules: TagRules, tag: string): string | null {
  const matching = rules.find(tag);
  return matching.length === 0 || matching.some(({ listed }) => listed)
    ? null
    : `protected tag ${tag}: only the users and teams on the list of its protection may create, move or delete it`;
}

/** Whether somebody may push to a branch, as far as that does not depend on what they push. */
export function mayPush(rule: BranchRule, doer: RuleDoer): boolean {
  return rule.enablePush && isOn(rule.enablePushList, rule.pushDeployKeys, rule.listed.includes("push"), doer);
}

/** Whether somebody may merge into a branch, as far as that does not depend on the pull request. */
export function mayMerge(rule: BranchRule, doer: RuleDoer): boolean {
  return isOn(rule.enableMergeList, false, rule.listed.includes("merge"), doer);
}

function isOn(listEnabled: boolean, deployKeys: boolean, listed: boolean, doer: RuleDoer): boolean {
  if (!listEnabled) {
    return doer !== "maintainer";
  }
  return doer === "deploy-key" ? deployKeys : listed;
}

function mayForce(rule: BranchRule, doer: RuleDoer): boolean {
  const listed = rule.listed.includes("force-push");
  // Without a list, everybody who may push may force.
  const isForcer = !rule.enableForcePushList || isOn(true, rule.forcePushDeployKeys, listed, doer);
  return mayPush(rule, doer) && rule.enableForcePush && isForcer;
}

/** Whether somebody may delete a branch. */
export function mayDelete(rule: BranchRule, doer: RuleDoer): boolean {
  return rule.enableDelete && isOn(rule.enableDeleteList, rule.deleteDeployKeys, rule.listed.includes("delete"), doer);
}

/** Why somebody may not delete a branch with this rule; null if they may. */
export function refuseDeletion(rule: BranchRule, doer: RuleDoer): string | null {
  if (mayDelete(rule, doer)) {
    return null;
  }
  return rule.enableDelete ? "you are not on the list of those who may delete it" : "nobody may delete it";
}

function refusePush(
  rule: BranchRule,
  { oldOid: from, newOid: to, forced }: BranchChange & { newOid: string },
  doer: RuleDoer,
  facts: Facts,
): string | null {
  const pushes = mayPush(rule, doer);
  const noPush = rule.enablePush
    ? "you are not on the list of those who may push to it"
    : "nobody may push to it; changes come by pull requests";
  if (!pushes && rule.unprotectedFilePatterns === "") {
    return noPush;
  }
  if (from !== null && !mayForce(rule, doer) && (forced ?? isForced(facts, from, to))) {
    return rule.enableForcePush ? "you are not on the list of those who may force it" : "nobody may force it";
  }
  const refused = refuseUnsigned(rule, { from, to }, facts) ?? refuseProtectedFile(rule, { from, to }, facts);
  if (refused !== null || pushes) {
    return refused;
  }
  const patterns = rule.unprotectedFilePatterns;
  const beside = facts.ask({ ask: "file-beside", from, to, patterns });
  if (beside?.kind === "file" && beside.path !== null) {
    return `${noPush}, and "${beside.path.slice(0, 200)}" is none of the files that anybody may change`;
  }
  return beside?.kind === "too-many" ? `${noPush}, and ${tooManyFiles}` : null;
}

/** Both bounds are told in `server/forge/find-facts.ts`. */
const tooManyFiles = "more files change than the rule looks through";

function isForced(facts: Facts, from: string, to: string): boolean {
  const fact = facts.ask({ ask: "gives-up-commits", from, to });
  return fact?.kind === "yes-or-no" && fact.yes;
}

function refuseUnsigned(rule: BranchRule, move: { from: string | null; to: string }, facts: Facts): string | null {
  const fact = rule.requireSignedCommits ? facts.ask({ ask: "new-commits", ...move }) : null;
  if (fact?.kind === "unsigned" && fact.commit !== null) {
    return `its commits have to be signed, and ${fact.commit.slice(0, 10)} has no verified signature`;
  }
  return fact?.kind === "too-many"
    ? "its commits have to be signed, and these are more than are looked at at once; push them in parts"
    : null;
}

function refuseProtectedFile(rule: BranchRule, move: { from: string | null; to: string }, facts: Facts): string | null {
  const patterns = rule.protectedFilePatterns;
  const fact = patterns === "" ? null : facts.ask({ ask: "file-that-matches", ...move, patterns });
  if (fact?.kind === "file" && fact.path !== null) {
    return `the file "${fact.path.slice(0, 200)}" is protected`;
  }
  return fact?.kind === "too-many" ? `it has protected files, and ${tooManyFiles}` : null;
}

/** Something that a rule wants and a merge does not have. */
export interface MergeObstacle {
  readonly kind:
    | "merge-list"
    | "signature"
    | "approvals"
    | "rejected"
    | "requested"
    | "outdated"
    | "status"
    | "protected-file";
  /** As it follows "protected branch …:". */
  readonly reason: string;
  /** Whether administrators may merge in spite of it. */
  readonly isOverridable: boolean;
}

/** What stands in the way of a merge, one after the other: facts are asked for as late as can be. */
export function* mergeObstacles(
  rule: BranchRule,
  move: { from: string | null; to: string },
  merge: MergeState,
  doer: RuleDoer,
  facts: Facts,
): Generator<MergeObstacle> {
  yield* firmObstacles(rule, move, doer, facts);
  yield* softObstacles(rule, move, merge, facts);
}

/** What nobody overrides. */
function* firmObstacles(
  rule: BranchRule,
  move: { from: string | null; to: string },
  doer: RuleDoer,
  facts: Facts,
): Generator<MergeObstacle> {
  if (!mayMerge(rule, doer)) {
    const reason = "you are not on the list of those who may merge into it";
    yield { kind: "merge-list", reason, isOverridable: false };
  }
  const unsigned = refuseUnsigned(rule, move, facts);
  if (unsigned !== null) {
    yield { kind: "signature", reason: unsigned, isOverridable: false };
  }
}

/** What administrators override, unless the rule binds them, too. */
function* softObstacles(
  rule: BranchRule,
  move: { from: string | null; to: string },
  merge: MergeState,
  facts: Facts,
): Generator<MergeObstacle> {
  const isOverridable = !rule.applyToAdmins;
  if (merge.approvals < rule.requiredApprovals) {
    const reason = `it takes ${rule.requiredApprovals} approvals, and there are ${merge.approvals}`;
    yield { kind: "approvals", reason, isOverridable };
  }
  if (rule.blockOnRejectedReviews && merge.rejected) {
    yield { kind: "rejected", reason: "a review asks for changes", isOverridable };
  }
  if (rule.blockOnOfficialReviewRequests && merge.requested) {
    yield { kind: "requested", reason: "a review is asked for and not given yet", isOverridable };
  }
  if (rule.blockOnOutdatedBranch && merge.outdated) {
    yield { kind: "outdated", reason: "it has commits that the pull request does not have", isOverridable };
  }
  const status = refuseStatuses(rule, merge.statuses);
  if (status !== null) {
    yield { kind: "status", reason: status, isOverridable };
  }
  const file = refuseProtectedFile(rule, move, facts);
  if (file !== null) {
    yield { kind: "protected-file", reason: file, isOverridable };
  }
}

function refuseMerge(
  rule: BranchRule,
  move: { from: string | null; to: string },
  merge: MergeState,
  doer: RuleDoer,
  facts: Facts,
): string | null {
  const overrides = merge.overrides && !rule.applyToAdmins;
  const [first] = overrides ? firmObstacles(rule, move, doer, facts) : mergeObstacles(rule, move, merge, doer, facts);
  return first?.reason ?? null;
}

/** States that let a merge through. */
const passing = new Set(["success", "skipped", "warning"]);

/** A check that a rule wants: the name of a context, or else a pattern; null: any. */
export interface WantedCheck {
  readonly wanted: string | null;
  /** The statuses that count for it: of that name, or of all names that match. */
  readonly counted: readonly MergeStatus[];
}

/**
 * What a rule wants of the statuses of a commit. Without contexts, there has to be a status, and all of them count. null: it takes too long to
 * compare them with the patterns.
 */
export function wantedChecks(rule: BranchRule, statuses: readonly MergeStatus[]): readonly WantedCheck[] | null {
  if (!rule.enableStatusCheck) {
    return [];
  }
  const began = patternWork();
  const checks: WantedCheck[] = [];
  for (const wanted of rule.statusCheckContexts.length === 0 ? [null] : rule.statusCheckContexts) {
    const exact = statuses.filter(({ context }) => context === wanted);
    const matches = wanted === null ? () => true : contextPattern(wanted);
    const counted: MergeStatus[] = [];
    for (const status of exact.length > 0 ? exact : statuses) {
      if (exact.length > 0 || matches(status.context)) {
        counted.push(status);
      }
      if (patternWork() - began > mostStatusWork) {
        return null;
      }
    }
    checks.push({ wanted, counted });
  }
  return checks;
}

/** Each check that the rule wants has to be there, and all statuses that count for it have to pass. */
function refuseStatuses(rule: BranchRule, statuses: readonly MergeStatus[]): string | null {
  const checks = wantedChecks(rule, statuses);
  if (checks === null) {
    return "its status checks are more than the patterns of the rule are compared with";
  }
  for (const { wanted, counted } of checks) {
    if (counted.length === 0) {
      return wanted === null ? "no status check has passed" : `the status check "${wanted}" has not passed`;
    }
    const failed = counted.find(({ state }) => !passing.has(state));
    if (failed !== undefined) {
      return `the status check "${failed.context}" has not passed`;
    }
  }
  return null;
}

/** The limit on the work of comparing contexts with the patterns of a rule. */
const mostStatusWork = 2_000_000;

/** Contexts are any texts: one that cannot be read as a pattern is a name. */
function contextPattern(pattern: string): NamePattern {
  try {
    return compileNamePattern(pattern, "status_check_contexts");
  } catch {
    return () => false;
  }
}
