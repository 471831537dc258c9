import type { Work } from "../work.ts";
import type { RefChange } from "./queries.ts";

/** What an operator forbids to do with branches, as git's receive.denyDeletes and receive.denyNonFastForwards. */
export interface RefPolicy {
  readonly deny_deletes: boolean;
  readonly deny_non_fast_forwards: boolean;
}

/** The rules for a repository's branches, as they are while its row is held. Today they are the operator's, for all repositories alike. */
export async function loadBranchRules({ config }: Work, _repositoryId: number): Promise<RefPolicy> {
  return config.git;
}

const branchPrefix = "refs/heads/";

/** Whether it has to be known of a change if it is `forced`, which takes a walk of history to find out. */
export function needsForcedFlag(policy: RefPolicy, change: Pick<RefChange, "name" | "oldOid" | "newOid">): boolean {
  return (
    policy.deny_non_fast_forwards &&
    change.oldOid !== null &&
    change.newOid !== null &&
    change.name.startsWith(branchPrefix)
  );
}

/** Why the policy is against a change, in git's words; null when it is not. `head` is the full name of the default branch. */
export function refuseByPolicy(policy: RefPolicy, change: RefChange, head: string): string | null {
  if (change.newOid === null) {
    if (change.name === head) {
      return "refusing to delete the default branch";
    }
    return policy.deny_deletes && change.name.startsWith(branchPrefix) ? "deletion prohibited" : null;
  }
  return change.forced === true && needsForcedFlag(policy, change) ? "non-fast-forward" : null;
}
