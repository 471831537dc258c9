import { EntryKind } from "../pack/pack-entry.ts";
import { PackEntry } from "../pack/pack-file.ts";
import { Source, type PackList } from "./pack-list.ts";
import { largestSearchedBytes } from "./search-deltas.ts";

/** A stored delta this large is only good where the object is more than twice as large. */
const largeDeltaBytes = 4096;

export interface Reuse {
  /** longest chain of deltas that stays as it is */
  readonly maxDepth: number;
  /** whether stored deltas are taken over, also of objects that new ones could be looked for; whole entries always are */
  readonly deltas: boolean;
}

/**
 * Says for each object which stored entry can be copied. An object may be stored several times: a delta is preferred,
 * since the whole copy is often only there because some push was thin. Deltas of different packs can lead back to each
 * other, or make chains that are too long: these are cut where an object can be had whole.
 */
export function reuseEntries(list: PackList, reuse: Reuse): void {
  list.prepare();
  findEntries(list, reuse.deltas);
  cutChains(list, reuse.maxDepth);
}

function findEntries(list: PackList, deltas: boolean): void {
  const { db } = list;
  const entry = new PackEntry();
  for (let number = 0; number < db.packs.length; number++) {
    const pack = db.packs[number]!;
    const start = db.startOf(number);
    const { order } = pack;
    for (let at = 0; at < pack.entryCount; at++) {
      const position = start + order.positionAt(at);
      const place = list.placeOf(number === 0 ? position : db.canonical(position));
      if (place < 0 || list.sources[place] === Source.delta) {
        continue;
      }
      pack.readHeader(order.offsetAt(at), entry);
      if (entry.kind < EntryKind.ofsDelta) {
        if (list.wholeEntries[place]! < 0) {
          list.wholeEntries[place] = position;
          list.sizes[place] = entry.size;
          list.entries[place] = position;
          list.sources[place] = Source.whole;
        }
        continue;
      }
      // No delta is looked for between objects that are too large for it.
      const isKept = deltas || db.sizeAt(position) > largestSearchedBytes;
      const base = isKept
        ? list.placeOf(db.canonical(start + order.positionAt(order.orderAtOffset(entry.baseOffset))))
        : -1;
      const bytes = order.endAt(at) - order.offsetAt(at);
      if (base >= 0 && base !== place && (bytes < largeDeltaBytes || 2 * bytes < db.sizeAt(position))) {
        list.entries[place] = position;
        list.bases[place] = base;
        list.sources[place] = Source.delta;
      } else if (list.sizes[place] === 0) {
        // Here, where the file is read from its beginning to its end, and not in the order of the search.
        list.sizes[place] = db.sizeAt(position);
      }
    }
  }
}

function cutChains(list: PackList, maxDepth: number): void {
  const { bases, depths, count } = list;
  /** 0: not looked at, 1: on the way, 2: its depth is known */
  const states = new Uint8Array(count);
  const chain: number[] = [];
  for (let first = 0; first < count; first++) {
    for (let at = first; at >= 0 && states[at] === 0; at = bases[at]!) {
      states[at] = 1;
      chain.push(at);
    }
    while (chain.length > 0) {
      const place = chain.pop()!;
      const base = bases[place]!;
      // A base that is on the way still is further up in this chain: the two lead back to each other.
      if (base >= 0 && (states[base] === 1 || depths[base]! >= maxDepth)) {
        cut(list, place);
      } else if (base >= 0) {
        depths[place] = depths[base]! + 1;
      }
      states[place] = 2;
    }
  }
}

function cut(list: PackList, place: number): void {
  const whole = list.wholeEntries[place]!;
  list.bases[place] = -1;
  list.depths[place] = 0;
  list.entries[place] = whole;
  list.sources[place] = whole < 0 ? Source.rewritten : Source.whole;
  list.sizes[place] = list.db.sizeAt(list.positions[place]!);
}
