import type { GitObject } from "../objects/object-type.ts";

interface Kept {
  readonly object: GitObject;
  used: boolean;
}

/** Bytes of an entry besides its content. */
const overheadBytes = 150;

/**
 * Inflated objects and delta bases, shared by all packs of a worker, up to a limit in bytes. The oldest goes first, but
 * one that was used since it came (or was last spared) is spared once: nearly as good as exact recency, and a hit writes one flag.
 */
export class ObjectCache {
  private readonly kept = new Map<number, Kept>();
  private bytes = 0;

  constructor(private readonly limitBytes: number) {}

  find(key: number): GitObject | null {
    const found = this.kept.get(key);
    if (found === undefined) {
      return null;
    }
    found.used = true;
    return found.object;
  }

  /** Objects larger than an eighth of the cache are not kept: one of them would drive out what walks live on. */
  keep(key: number, object: GitObject): void {
    if (object.bytes.length > this.limitBytes / 8 || this.kept.has(key)) {
      return;
    }
    this.kept.set(key, { object, used: false });
    this.bytes += object.bytes.length + overheadBytes;
    if (this.bytes > this.limitBytes) {
      this.evict();
    }
  }

  /** Forgets what belongs to keys in `[from, to)`. */
  drop(from: number, to: number): void {
    for (const [key, kept] of this.kept) {
      if (key >= from && key < to) {
        this.forget(key, kept);
      }
    }
  }

  /** Forgets all. */
  clear(): void {
    this.kept.clear();
    this.bytes = 0;
  }

  private evict(): void {
    for (const [key, kept] of this.kept) {
      if (this.bytes <= this.limitBytes * 0.9) {
        return;
      }
      if (kept.used) {
        kept.used = false;
        this.kept.delete(key);
        this.kept.set(key, kept);
      } else {
        this.forget(key, kept);
      }
    }
  }

  private forget(key: number, kept: Kept): void {
    this.kept.delete(key);
    this.bytes -= kept.object.bytes.length + overheadBytes;
  }
}
