import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { BranchRule } from "../../git/protections/branch-rules.ts";
import {
  mergeObstacles,
  wantedChecks,
  type MergeObstacle,
  type WantedCheck,
} from "../../git/protections/decide-change.ts";
import { Facts, FactsNeeded } from "../../git/protections/facts.ts";
import type { Forge } from "../../spine/forge.ts";
import { hasOpenDependency } from "../issues/edit-queries.ts";
import type { PullRow } from "../pulls/queries.ts";
import { readMergeState } from "./merge-gate.ts";

/** What a merge would meet now. The merge itself decides again. */
export interface MergeProspect {
  /** null: the base branch is not protected. */
  readonly rule: BranchRule | null;
  /** The approvals that count. */
  readonly approvals: number;
  /** What the rule wants of the statuses; null: that takes too long to find out. */
  readonly checks: readonly WantedCheck[] | null;
  /** What the rule has against it, also where an administrator may merge in spite of it. */
  readonly obstacles: readonly MergeObstacle[];
  /** Whether it depends on an issue or a pull request that is open. */
  readonly isBlocked: boolean;
}

/**
 * Reads what stands in the way of merging an open pull request, for a user. `readsFiles`: also what takes reading its commits, where the rule wants signatures
 * or protects files.
 */
export async function readMergeProspect(
  forge: Forge,
  actorId: number | null,
  { repository }: RepositoryAccess,
  pull: PullRow,
  readsFiles: boolean,
): Promise<MergeProspect> {
  const { db } = forge.database;
  const merge = { isUpToDate: pull.behindCount === 0, force: false };
  const [gate, isBlocked] = await Promise.all([
    readMergeState({ tx: db, actorId }, repository.id, { pull }, merge),
    hasOpenDependency(db, pull.issueId),
  ]);
  if (gate === null) {
    return { rule: null, approvals: 0, checks: [], obstacles: [], isBlocked };
  }
  const { rule, state } = gate;
  // From where the two parted, because the head may lack commits of the base.
  const move = { from: pull.mergeBaseOid, to: pull.headOid };
  const find = (facts: Facts) => [...mergeObstacles(rule, move, state, "user", facts)];
  const unknown = new Facts();
  const obstacles = find(unknown);
  const { approvals, statuses } = state;
  const known = { rule, approvals, checks: wantedChecks(rule, statuses), isBlocked };
  if (unknown.missing.length === 0 || !readsFiles) {
    return { ...known, obstacles };
  }
  const facts = await forge.findFacts(new FactsNeeded(repository.id, unknown.missing), []);
  return { ...known, obstacles: find(unknown.with(facts)) };
}
