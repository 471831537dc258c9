/** Chunks are placed in blocks of so many bytes. What is smaller is cheaper to copy. */
const blockBytes = 16 * 1024;

/**
 * All that one worker lends at a time, bytes: more than the windows of all streams may become together. Blocks are taken
 * from the beginning and memory that was never written to takes no place.
 */
const arenaBytes = 16 * 1024 * 1024;

/** Whether a chunk of so many bytes is worth being lent. */
export function isWorthLending(bytes: number): boolean {
  return bytes > blockBytes;
}

/** A chunk in memory that both threads see, as a worker hands it on. */
export interface LentChunk {
  /** its first block: what it is given back by */
  readonly slot: number;
  readonly length: number;
  /** only the first time that the worker lends anything */
  readonly memory: SharedArrayBuffer | null;
}

/**
 * The worker's side of chunks that the main thread gives back when they are read: made anew for each chunk, buffers that
 * move between threads are most of what a large clone costs, in pages to clear, to give back and to collect, and pile up
 * in both threads until they are collected.
 */
export class ChunkLender {
  #arena: Uint8Array<SharedArrayBuffer> | null = null;
  readonly #used = new Uint8Array(arenaBytes / blockBytes);
  /** blocks of what is lent, by the first one */
  readonly #lent = new Map<number, number>();

  /** Copies a chunk to where it stays as it is until it is given back; null when there is no room for it. */
  lend(bytes: Uint8Array): LentChunk | null {
    const blocks = Math.ceil(bytes.length / blockBytes);
    const slot = this.#findFree(blocks);
    if (slot === null) {
      return null;
    }
    const isFirst = this.#arena === null;
    this.#arena ??= new Uint8Array(new SharedArrayBuffer(arenaBytes));
    this.#arena.set(bytes, slot * blockBytes);
    this.#used.fill(1, slot, slot + blocks);
    this.#lent.set(slot, blocks);
    return { slot, length: bytes.length, memory: isFirst ? this.#arena.buffer : null };
  }

  takeBack(slot: number): void {
    const blocks = this.#lent.get(slot);
    if (blocks !== undefined) {
      this.#lent.delete(slot);
      this.#used.fill(0, slot, slot + blocks);
    }
  }

  #findFree(blocks: number): number | null {
    let free = 0;
    for (let block = 0; block < this.#used.length; block++) {
      free = this.#used[block] === 0 ? free + 1 : 0;
      if (free === blocks) {
        return block + 1 - blocks;
      }
    }
    return null;
  }
}

/** The main thread's side: what one worker has lent. */
export class ChunkBorrower {
  #arena: SharedArrayBuffer | null = null;
  readonly #abandoned: FinalizationRegistry<number>;

  /** giveBack: tells the worker that nobody can read a chunk any more */
  constructor(private readonly giveBack: (slot: number) => void) {
    this.#abandoned = new FinalizationRegistry(giveBack);
  }

  /** The bytes of a chunk. */
  take({ slot, length, memory }: LentChunk): Uint8Array {
    this.#arena ??= memory ?? new SharedArrayBuffer(0);
    return new Uint8Array(this.#arena, slot * blockBytes, length);
  }

  /** For a chunk that was never handed on. */
  drop(slot: number): void {
    this.giveBack(slot);
  }

  /** For a chunk that someone may still be reading who cannot be asked: it is given back when nobody has it any more. */
  abandon(bytes: Uint8Array, slot: number): void {
    this.#abandoned.register(bytes, slot);
  }
}
