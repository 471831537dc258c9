import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectCache } from "../pack/object-cache.ts";
import { IndexBuffers } from "../pack/index-buffers.ts";
import { LargeReads } from "../pack/large-reads.ts";
import { PackFile } from "../pack/pack-file.ts";
import { cacheKeys } from "../pack/read-object.ts";
import { WindowCache } from "../pack/window-cache.ts";
import { mostIdlePacks } from "./most-idle-packs.ts";

interface OpenPack {
  readonly pack: PackFile;
  users: number;
}

/**
 * All memory that reading repositories may take in one worker: half for inflated objects, a quarter for windows of
 * packs, a quarter for the indexes of packs that nobody uses at the moment. Packs never change, so that all this is
 * keyed by their path and never invalid.
 */
export class EngineCaches implements Disposable {
  readonly objects: ObjectCache;
  readonly indexing = new IndexBuffers();
  readonly large: LargeReads;
  private readonly windows: WindowCache;
  private readonly idleIndexBytes: number;
  private readonly maxIdlePacks = mostIdlePacks();
  private readonly packs = new Map<string, OpenPack>();
  /** The packs that nobody uses, in the order of last use, with the memory that each held when it was given back. */
  private readonly idle = new Map<OpenPack, number>();
  /** The sum of these. */
  private idleBytes = 0;
  /** Ids of closed packs are given again: they are parts of cache keys, and numbers have 53 bits. */
  private readonly freeIds: number[] = [];

  /** largeBytes: objects beyond that are read in pieces; what `LargeReads` has unless given */
  constructor(totalBytes: number, idleIndexBytes: number = totalBytes / 4, largeBytes?: number) {
    this.large = new LargeReads(largeBytes);
    this.objects = new ObjectCache(totalBytes / 2);
    this.windows = new WindowCache(totalBytes / 4);
    this.idleIndexBytes = idleIndexBytes;
  }

  /** An open pack, which stays open until it is released as often. Throws CorruptPack. */
  acquirePack(format: ObjectFormat, path: string): PackFile {
    let open = this.packs.get(path);
    if (open === undefined) {
      open = { pack: this.open(format, path), users: 0 };
      this.packs.set(path, open);
    }
    open.users++;
    this.takeIdle(open);
    return open.pack;
  }

  releasePack(path: string): void {
    const open = this.packs.get(path);
    if (open === undefined) {
      return;
    }
    open.users--;
    if (open.users === 0) {
      const bytes = open.pack.heldBytes;
      this.idle.set(open, bytes);
      this.idleBytes += bytes;
      this.closeIdle();
    }
  }

  /** Closes a pack that will not be used again under this path, unless somebody still does. */
  dropPack(path: string): void {
    const open = this.packs.get(path);
    if (open !== undefined && open.users === 0) {
      this.close(path, open);
    }
  }

  /** Forgets what is quickly read again: objects, windows of packs, and the indexes of those packs that are not read at the moment. */
  clear(isRead: (pack: PackFile) => boolean): void {
    this.objects.clear();
    this.windows.clear();
    this.closeIdle(0);
    for (const { pack } of this.packs.values()) {
      if (!isRead(pack)) {
        pack.rest();
      }
    }
  }

  [Symbol.dispose](): void {
    this.indexing[Symbol.dispose]();
    this.large[Symbol.dispose]();
    for (const [path, open] of this.packs) {
      this.close(path, open);
    }
  }

  /** Closes packs that nobody uses, least recently used first, until so many at most are left, and their indexes within the limit. */
  private closeIdle(mostPacks = this.maxIdlePacks): void {
    for (const open of this.idle.keys()) {
      if (this.idleBytes <= this.idleIndexBytes && this.idle.size <= mostPacks) {
        return;
      }
      this.close(open.pack.path, open);
    }
  }

  private takeIdle(open: OpenPack): void {
    this.idleBytes -= this.idle.get(open) ?? 0;
    this.idle.delete(open);
  }

  private open(format: ObjectFormat, path: string): PackFile {
    const id = this.freeIds.pop() ?? this.packs.size;
    try {
      return PackFile.open(format, path, id, this.windows);
    } catch (error) {
      this.freeIds.push(id);
      throw error;
    }
  }

  private close(path: string, open: OpenPack): void {
    this.packs.delete(path);
    this.takeIdle(open);
    this.objects.drop(...cacheKeys(open.pack));
    open.pack[Symbol.dispose]();
    this.freeIds.push(open.pack.id);
  }
}
