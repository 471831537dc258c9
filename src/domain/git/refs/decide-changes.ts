import { ambiguousName, isAmbiguousRef } from "../../../git/refs/ref-name.ts";
import type { RefChange } from "./queries.ts";
import { refuseByProtection, refuseByServer, type Refusal, type RefPolicy } from "./ref-policy.ts";

/** Bytes of a ref's full name: what an entry of the index over names has room for, and more than the files of git's own refs have. */
const longestName = 2048;

/** Why a change of a ref is refused, in the words git uses where it has some; null when it is done. */
export interface DecidedChange {
  change: RefChange;
  refusal: string | null;
  /** The kind of protection that refuses it, if one does. */
  protection: "branch" | "tag" | null;
}

/** Names and, for each directory in them, how many there are below: `a` and `a/b` cannot both be refs. */
class RefNames {
  private readonly names: Set<string>;
  private readonly below = new Map<string, number>();

  constructor(names: Iterable<string>) {
    this.names = new Set(names);
    for (const name of this.names) {
      this.count(name, 1);
    }
  }

  private *parents(name: string): Generator<string> {
    for (let slash = name.lastIndexOf("/"); slash > 0; slash = name.lastIndexOf("/", slash - 1)) {
      yield name.slice(0, slash);
    }
  }

  private count(name: string, by: number): void {
    for (const parent of this.parents(name)) {
      this.below.set(parent, (this.below.get(parent) ?? 0) + by);
    }
  }

  add(name: string): void {
    this.names.add(name);
    this.count(name, 1);
  }

  remove(name: string): void {
    this.names.delete(name);
    this.count(name, -1);
  }

  /** An existing name that keeps `name` from being created; null when nothing does. */
  findConflict(name: string): string | null {
    if ((this.below.get(name) ?? 0) > 0) {
      return `${name}/…`;
    }
    for (const parent of this.parents(name)) {
      if (this.names.has(parent)) {
        return parent;
      }
    }
    return null;
  }
}

/**
 * Decides each change against the refs as they are now, under the repository's lock: the old oid must be the one that is
 * there (compare and swap), and no two names may stand in each other's way. Deletions count first, so that a push may
 * put `a/b` in the place of `a`. `head` is the full name of the default branch, which is not deleted, whatever the policy is.
 */
export function decideChanges(
  current: ReadonlyMap<string, string>,
  changes: readonly RefChange[],
  head: string,
  policy: RefPolicy,
): DecidedChange[] {
  const names = new RefNames(current.keys());
  const decided = new Map<RefChange, Refusal | null>();
  const inOrder = [
    ...changes.filter((change) => change.newOid === null),
    ...changes.filter((change) => change.newOid !== null),
  ];
  for (const change of inOrder) {
    const reason = refuseByServer(policy, change, head) ?? decide(current, names, change);
    const refusal: Refusal | null = reason === null ? refuseByProtection(policy, change) : { reason, by: "server" };
    decided.set(change, refusal);
    if (refusal === null && change.newOid === null) {
      names.remove(change.name);
    } else if (refusal === null && !current.has(change.name)) {
      names.add(change.name);
    }
  }
  return changes.map((change) => {
    const refusal = decided.get(change) ?? null;
    const by = refusal?.by ?? "server";
    return { change, refusal: refusal?.reason ?? null, protection: by === "server" ? null : by };
  });
}

function decide(current: ReadonlyMap<string, string>, names: RefNames, change: RefChange): string | null {
  const now = current.get(change.name) ?? null;
  if (now !== change.oldOid) {
    if (now === null) {
      return `cannot lock ref '${change.name}': it does not exist any more`;
    }
    return change.oldOid === null && change.newOid !== null
      ? "reference already exists"
      : `cannot lock ref '${change.name}': is at ${now} but expected ${change.oldOid ?? "nothing"}`;
  }
  if (change.newOid === null || now !== null) {
    return null;
  }
  if (isAmbiguousRef(change.name)) {
    return ambiguousName;
  }
  if (Buffer.byteLength(change.name) > longestName) {
    return `its name has more than ${longestName} bytes`;
  }
  const conflict = names.findConflict(change.name);
  return conflict === null ? null : `cannot lock ref '${change.name}': '${conflict}' exists`;
}
