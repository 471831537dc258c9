import { StithyError } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { BlobMissing, type BlobStore } from "./blob-store.ts";

/** The bytes of a file of the store are not those that were stored. */
export class BlobDamaged extends StithyError {
  constructor(sha256: string) {
    super("fault", "blob-damaged", `The file ${sha256} in the blob store is damaged`, { sha256 });
  }
}

/** A file to be read, and what a response sends of it. */
export interface OpenedBlob {
  readonly blob: Blob;
  readonly size: number;
  /** The file, or a function that compares what it reads with the name of the file, and breaks off before the end where it differs. */
  readonly content: Blob | ((start: number, end: number) => ReadableStream<Uint8Array>);
}

/** A file of at most so many bytes is read as a whole before its first byte is sent: that takes up to 0.1 s, once. */
const readFirst = 64 * 1024 * 1024;
/** So many files are remembered that were found whole, and so many that were not. */
const remembered = 100_000;

/**
 * Reads files of the blob store so that no damaged one is taken for whole. Each is read and hashed once, unless this process has written it, and again
 * when the file system has changed the file: a short one before it is sent, a long one while it is sent for the first time. The size is
 * compared each time. A range of a long file is sent as it is until the file has been read once.
 */
export class CheckedBlobs {
  readonly #whole = new Map<string, number>();
  readonly #damaged = new Map<string, number>();

  constructor(
    private readonly store: BlobStore,
    private readonly log: Logger,
  ) {}

  /** How many files were found damaged, and have not changed since. */
  get damaged(): number {
    return this.#damaged.size;
  }

  /** The file of this name. `bytes`: its length, where it is known. null: there is none. Throws BlobMissing and BlobDamaged. */
  async find(sha256: string, bytes: number | null): Promise<OpenedBlob | null> {
    const [blob, changedAt] = await Promise.all([this.store.find(sha256), this.store.changedAt(sha256)]);
    if (blob === null || changedAt === null) {
      return null;
    }
    const { size } = blob;
    if (this.#damaged.get(sha256) === changedAt || (bytes !== null && size !== bytes)) {
      throw this.#damage(sha256, changedAt);
    }
    if (this.#whole.get(sha256) === changedAt || this.store.hashedAt(sha256) === changedAt) {
      return { blob, size, content: blob };
    }
    if (size > readFirst) {
      const whole = () => streamOf(this.#compared(sha256, blob, changedAt));
      return {
        blob,
        size,
        content: (start, end) => (end - start === size ? whole() : blob.slice(start, end).stream()),
      };
    }
    for await (const _chunk of this.#compared(sha256, blob, changedAt)) {
      // Only its hash is wanted.
    }
    return { blob, size, content: blob };
  }

  /** Returns a blob that must exist. Throws BlobMissing and BlobDamaged. */
  async get(sha256: string, bytes: number): Promise<OpenedBlob> {
    const found = await this.find(sha256, bytes);
    if (found === null) {
      throw new BlobMissing(sha256);
    }
    return found;
  }

  /** The chunks of a file. Throws BlobDamaged in place of the last one where its name is another. */
  async *#compared(sha256: string, blob: Blob, changedAt: number): AsyncGenerator<Uint8Array> {
    const hasher = new Bun.CryptoHasher("sha256");
    let last: Uint8Array | null = null;
    for await (const chunk of blob.stream()) {
      hasher.update(chunk);
      if (last !== null) {
        yield last;
      }
      last = chunk;
    }
    if (hasher.digest("hex") !== sha256) {
      throw this.#damage(sha256, changedAt);
    }
    this.#damaged.delete(sha256);
    remember(this.#whole, sha256, changedAt);
    if (last !== null) {
      yield last;
    }
  }

  /** Remembers that a file is damaged, and returns the error. */
  #damage(sha256: string, changedAt: number): BlobDamaged {
    if (this.#damaged.get(sha256) !== changedAt) {
      this.log.error({ blob: sha256 }, "A stored file is damaged: restore it from a backup");
    }
    this.#whole.delete(sha256);
    remember(this.#damaged, sha256, changedAt);
    return new BlobDamaged(sha256);
  }
}

/** The oldest goes where there are too many. */
function remember(map: Map<string, number>, key: string, value: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > remembered && oldest !== undefined) {
    map.delete(oldest);
  }
}

/** A stream of chunks, of which nothing is read before it is wanted. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done === true) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
