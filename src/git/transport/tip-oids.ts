import type { ObjectFormat } from "../objects/object-format.ts";
import { hexToBytes } from "../objects/oid.ts";
import { OidList, type PackedOids } from "../objects/oid-list.ts";
import { OidMap } from "../pack/oid-map.ts";
import type { Ref } from "../refs/ref.ts";

/** By list of refs: many clients ask for the same at the same time, and while nothing is pushed the list is the same one. */
const known = new WeakMap<readonly Ref[], TipOids>();

/** What the refs of a repository point to, found by oid. */
export class TipOids {
  readonly #format: ObjectFormat;
  readonly #items: OidMap;

  constructor(
    /** not to be changed */
    readonly packed: PackedOids,
    format: ObjectFormat,
  ) {
    this.#format = format;
    this.#items = new OidMap(format.oidBytes);
    for (let at = 0; at < packed.length; at += format.oidBytes) {
      this.#items.itemOf(packed, at);
    }
  }

  static of(refs: readonly Ref[], format: ObjectFormat): TipOids {
    let tips = known.get(refs);
    if (tips === undefined) {
      const oids = new OidList(format);
      for (const oid of new Set(refs.map((ref) => ref.oid))) {
        oids.addHex(oid);
      }
      tips = new TipOids(oids.pack(), format);
      known.set(refs, tips);
    }
    return tips;
  }

  has(oids: Uint8Array, at: number): boolean {
    return this.#items.findItem(oids, at) >= 0;
  }

  hasHex(hex: string): boolean {
    return hex.length === this.#format.hexLength && this.has(hexToBytes(hex), 0);
  }
}
