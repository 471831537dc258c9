import { MissingObject } from "../odb/object-database.ts";
import { ReachableObjects } from "../graph/reachable-objects.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface IsReachableArgs {
  readonly oid: string;
  /** hexadecimal oids of all refs that count, not peeled */
  readonly tips: readonly string[];
}

/**
 * Whether an object is one that the tips reach: only such an object may be shown to those who name it by its oid.
 * False for one that is not there. Throws MissingObject for a tip that is not there, CorruptObject, CorruptPack.
 */
export function* isReachable(repository: OpenRepository, args: IsReachableArgs): Steps<boolean> {
  const { odb, graph } = repository;
  const position = odb.findHex(args.oid);
  if (position < 0) {
    return false;
  }
  const key = new Bun.CryptoHasher("sha256").update(args.tips.join(" ")).digest("hex");
  const reachable = repository.reachableFrom(key, () => {
    const tips = args.tips.map((tip) => {
      const at = odb.findHex(tip);
      if (at < 0) {
        throw new MissingObject(tip);
      }
      return at;
    });
    return new ReachableObjects(graph, tips);
  });
  return yield* reachable.contains(position);
}
