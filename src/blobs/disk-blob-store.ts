import type { Stats } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { explainFull, publishFile } from "../lib/files.ts";
import { BlobMismatch, BlobTooLarge, type BlobStore, type StagedBlob, type StageOptions } from "./blob-store.ts";

/** So much may wait for the disk: what arrives faster than it writes must not pile up in memory. */
const unsyncedBytes = 32 * 1024 * 1024;
/** So many files are remembered that were hashed while they were written. */
const mostHashed = 10_000;
const blobName = /^[0-9a-f]{64}$/;

/** Files in a directory: `<aa>/<sha256>`, written in another directory of the same file system first. */
export class DiskBlobStore implements BlobStore {
  /** When files were changed the last time that this process has published, the newest last. */
  readonly #hashed = new Map<string, number>();

  /** Both directories are there before the first write. */
  constructor(
    private readonly directory: string,
    private readonly temporaryDirectory: string,
  ) {}

  /** Makes the store's directory where it is missing. */
  static async open(directory: string, temporaryDirectory: string): Promise<DiskBlobStore> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new DiskBlobStore(directory, temporaryDirectory);
  }

  async stage(sha256: string | null, content: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBlob> {
    if (sha256 !== null) {
      this.path(sha256);
    }
    const temporary = join(this.temporaryDirectory, `blob-${crypto.randomUUID()}`);
    try {
      const { bytes, found, digests } = await this.spool(temporary, content, options);
      if (sha256 !== null && found !== sha256) {
        throw new BlobMismatch(sha256, found);
      }
      return new StagedFile(found, bytes, digests, temporary, this.path(found), () => this.#note(found));
    } catch (error) {
      await rm(temporary, { force: true });
      throw explainFull(error);
    }
  }

  /** Writes the content to a new file and makes it durable. */
  private async spool(
    path: string,
    content: AsyncIterable<Uint8Array>,
    { bytes: limit, digests: wanted = [] }: StageOptions,
  ): Promise<{ bytes: number; found: string; digests: StagedBlob["digests"] }> {
    const hasher = new Bun.CryptoHasher("sha256");
    const extra = new Map(wanted.map((name) => [name, new Bun.CryptoHasher(name)]));
    let bytes = 0;
    let unsynced = 0;
    const file = await open(path, "wx", 0o600);
    try {
      for await (const chunk of content) {
        bytes += chunk.length;
        unsynced += chunk.length;
        if (bytes > limit) {
          throw new BlobTooLarge(limit);
        }
        hasher.update(chunk);
        for (const one of extra.values()) {
          one.update(chunk);
        }
        await file.writeFile(chunk);
        if (unsynced >= unsyncedBytes) {
          await file.datasync();
          unsynced = 0;
        }
      }
      await file.sync();
    } finally {
      await file.close();
    }
    const digests = Object.fromEntries([...extra].map(([name, one]) => [name, one.digest("hex")]));
    return { bytes, found: hasher.digest("hex"), digests };
  }

  async find(sha256: string): Promise<Blob | null> {
    const path = this.path(sha256);
    try {
      const { size } = await stat(path);
      return Bun.file(path).slice(0, size);
    } catch (error) {
      return orAbsent(error);
    }
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.path(sha256), { force: true });
  }

  async *list(): AsyncGenerator<string[]> {
    for (const shard of await readdir(this.directory)) {
      yield (await readdir(join(this.directory, shard))).filter((name) => blobName.test(name));
    }
  }

  async writtenAt(sha256: string): Promise<number | null> {
    return (await this.#stat(sha256))?.mtimeMs ?? null;
  }

  async changedAt(sha256: string): Promise<number | null> {
    return (await this.#stat(sha256))?.ctimeMs ?? null;
  }

  hashedAt(sha256: string): number | null {
    return this.#hashed.get(sha256) ?? null;
  }

  async #stat(sha256: string): Promise<Stats | null> {
    try {
      return await stat(this.path(sha256));
    } catch (error) {
      return orAbsent(error);
    }
  }

  async #note(sha256: string): Promise<void> {
    const changedAt = await this.changedAt(sha256);
    const [oldest] = this.#hashed.keys();
    if (this.#hashed.size >= mostHashed && oldest !== undefined) {
      this.#hashed.delete(oldest);
    }
    if (changedAt !== null) {
      this.#hashed.set(sha256, changedAt);
    }
  }

  private path(sha256: string): string {
    if (!blobName.test(sha256)) {
      throw new TypeError(`"${sha256}" is not a SHA-256 in hexadecimal`);
    }
    return join(this.directory, sha256.slice(0, 2), sha256);
  }
}

class StagedFile implements StagedBlob {
  #published = false;

  constructor(
    readonly sha256: string,
    readonly bytes: number,
    readonly digests: StagedBlob["digests"],
    private readonly temporary: string,
    private readonly final: string,
    private readonly note: () => Promise<void>,
  ) {}

  get content(): Blob {
    return Bun.file(this.temporary).slice(0, this.bytes);
  }

  get published(): boolean {
    return this.#published;
  }

  async publish(): Promise<void> {
    this.#published = true;
    try {
      await publishFile(this.temporary, this.final);
      await this.note();
    } catch (error) {
      throw explainFull(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.temporary, { force: true });
  }
}

/** Null where the error says that a file is not there; throws every other one. */
function orAbsent(error: unknown): null {
  if ((error as { code?: unknown }).code !== "ENOENT") {
    throw error;
  }
  return null;
}
