import { OidMap } from "../pack/oid-map.ts";

const none = -1;

/**
 * Deltas whose base is not resolved yet, as lists by base: by entry for OFS_DELTA, by oid for REF_DELTA. Lists instead
 * of trying all again and again: a chain of deltas in reverse order would make that quadratic.
 */
export class PendingDeltas {
  count = 0;
  private readonly byOid: OidMap;
  /** First waiting delta by base entry, and the next one after each delta; made when the first one comes. */
  private heads = new Int32Array(0);
  private next = new Int32Array(0);

  constructor(
    private readonly entries: number,
    oidBytes: number,
  ) {
    this.byOid = new OidMap(oidBytes);
  }

  waitForEntry(delta: number, base: number): void {
    this.prepare();
    this.next[delta] = this.heads[base]!;
    this.heads[base] = delta;
    this.count++;
  }

  waitForOid(delta: number, oids: Uint8Array, at: number): void {
    this.prepare();
    this.next[delta] = this.byOid.get(oids, at);
    this.byOid.set(oids, at, delta);
    this.count++;
  }

  /** Takes the deltas that waited for a base, known by its entry and by its oid. */
  take(base: number, oids: Uint8Array, at: number): number[] {
    const taken: number[] = [];
    if (base < this.heads.length) {
      this.collect(this.heads[base]!, taken);
      this.heads[base] = none;
    }
    const first = this.byOid.get(oids, at);
    if (first !== none) {
      this.collect(first, taken);
      this.byOid.set(oids, at, none);
    }
    this.count -= taken.length;
    return taken;
  }

  /** Visits the oids that deltas still wait for. What is taken meanwhile is passed over. */
  forEachOid(visit: (oids: Uint8Array, at: number) => void): void {
    this.byOid.forEach((oids, at, first) => {
      if (first !== none) {
        visit(oids, at);
      }
    });
  }

  private collect(first: number, into: number[]): void {
    for (let delta = first; delta !== none; delta = this.next[delta]!) {
      into.push(delta);
    }
  }

  private prepare(): void {
    if (this.next.length === 0) {
      this.heads = new Int32Array(this.entries).fill(none);
      this.next = new Int32Array(this.entries).fill(none);
    }
  }
}
