import { BranchRules, TagRules } from "../protections/branch-rules.ts";
import { refuseBranchChange, refuseTagChange, type RuleDoer } from "../protections/decide-change.ts";
import { loadRules } from "../protections/rule-queries.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Work } from "../../spine/work.ts";
import type { Facts } from "../protections/facts.ts";
import type { RefChange } from "./queries.ts";

/** Changes of branches that the operator forbids, like git's receive.denyDeletes and receive.denyNonFastForwards. */
export interface OperatorRules {
  readonly deny_deletes: boolean;
  readonly deny_non_fast_forwards: boolean;
}

/** All that decides whether somebody may change a repository's refs. */
export interface RefPolicy extends OperatorRules {
  readonly branches: BranchRules;
  readonly tags: TagRules;
  readonly doer: RuleDoer;
  /** The known facts about the changes. It records the facts that the rules need. */
  readonly facts: Facts;
}

/** A change that is refused: by a protection, or by the operator's rules and the default branch's. */
export interface Refusal {
  readonly reason: string;
  readonly by: "branch" | "tag" | "server";
}

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

/**
 * The rules for a repository's refs, as they are while its row is held: the operator's, for all repositories alike, and the
 * protections of its branches and tags, which bind everybody but the server itself. One query.
 */
export async function loadBranchRules(
  work: Work,
  repositoryId: number,
  changes: readonly RefChange[],
  asMaintainer = false,
): Promise<RefPolicy> {
  const { doer, facts, config, tx, actorId } = work;
  const { deny_deletes, deny_non_fast_forwards } = config.git;
  const rest = {
    deny_deletes,
    deny_non_fast_forwards,
    doer: ruleDoerOf(doer, asMaintainer),
    facts,
  } as const;
  const isProtectable = changes.some(({ name }) => name.startsWith(branchPrefix) || name.startsWith(tagPrefix));
  if (doer.kind === "server" || !isProtectable) {
    return { ...rest, branches: new BranchRules([]), tags: new TagRules([]) };
  }
  return { ...rest, ...(await loadRules(tx, repositoryId, actorId)) };
}

function ruleDoerOf({ kind }: Doer, asMaintainer: boolean): RuleDoer {
  if (asMaintainer) {
    return "maintainer";
  }
  return kind === "deploy-key" ? kind : "user";
}

/** Whether it has to be known of a change if it is `forced`, which takes a walk of history to find out. */
export function needsForcedFlag(rules: OperatorRules, change: Pick<RefChange, "name" | "oldOid" | "newOid">): boolean {
  return (
    rules.deny_non_fast_forwards &&
    change.oldOid !== null &&
    change.newOid !== null &&
    change.name.startsWith(branchPrefix)
  );
}

/**
 * Why a protection is against a change; null when none is. For a change that could be made otherwise: the objects of its
 * old and new oid are there to be looked at.
 */
export function refuseByProtection(policy: RefPolicy, change: RefChange): Refusal | null {
  if (change.oldOid === null && change.newOid === null) {
    return null;
  }
  if (change.name.startsWith(branchPrefix)) {
    const branch = change.name.slice(branchPrefix.length);
    const rule = change.isRuleRenamed === true ? null : policy.branches.find(branch);
    const refusal = rule === null ? null : refuseBranchChange(rule, { ...change, branch }, policy.doer, policy.facts);
    return refusal === null ? null : { reason: refusal, by: "branch" };
  }
  const refusal = change.name.startsWith(tagPrefix)
    ? refuseTagChange(policy.tags, change.name.slice(tagPrefix.length))
    : null;
  return refusal === null ? null : { reason: refusal, by: "tag" };
}

/** Why the operator or the default branch is against a change, in git's words; null when they are not. `head` is the full name of the default branch. */
export function refuseByServer(policy: OperatorRules, change: RefChange, head: string): string | null {
  if (change.newOid === null) {
    if (change.name === head) {
      return "refusing to delete the default branch";
    }
    return policy.deny_deletes && change.name.startsWith(branchPrefix) ? "deletion prohibited" : null;
  }
  return change.forced === true && needsForcedFlag(policy, change) ? "non-fast-forward" : null;
}
