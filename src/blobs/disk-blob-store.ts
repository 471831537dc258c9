import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { explainFull, publishFile } from "../lib/files.ts";
import { countGarbage } from "../lib/garbage.ts";
import { BlobMismatch, BlobTooLarge, type BlobReferences, type BlobStore, type StagedBlob } from "./blob-store.ts";

/** So much may wait for the disk: what arrives faster than it writes must not pile up in memory. */
const unsyncedBytes = 32 * 1024 * 1024;
const blobName = /^[0-9a-f]{64}$/;

/** Files in a directory: `<aa>/<sha256>`, written in another directory of the same file system first. */
export class DiskBlobStore implements BlobStore {
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

  async stage(sha256: string, content: AsyncIterable<Uint8Array>, limits: { bytes: number }): Promise<StagedBlob> {
    const final = this.path(sha256);
    const temporary = join(this.temporaryDirectory, `blob-${crypto.randomUUID()}`);
    try {
      const { bytes, found } = await this.spool(temporary, content, limits.bytes);
      if (found !== sha256) {
        throw new BlobMismatch(sha256, found);
      }
      return new StagedFile(sha256, bytes, temporary, final);
    } catch (error) {
      await rm(temporary, { force: true });
      throw explainFull(error);
    }
  }

  /** Writes what comes to a new file and makes it durable. */
  private async spool(path: string, content: AsyncIterable<Uint8Array>, limit: number): Promise<{ bytes: number; found: string }> {
    const hasher = new Bun.CryptoHasher("sha256");
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
        await file.writeFile(chunk);
        countGarbage(chunk.length);
        if (unsynced >= unsyncedBytes) {
          await file.datasync();
          unsynced = 0;
        }
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { bytes, found: hasher.digest("hex") };
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

  async collect(references: BlobReferences, before: number): Promise<number> {
    let removed = 0;
    for (const shard of await readdir(this.directory)) {
      const directory = join(this.directory, shard);
      const names = (await readdir(directory)).filter((name) => blobName.test(name));
      const kept = await references.known(names);
      for (const name of names) {
        if (!kept.has(name) && (await isOlder(join(directory, name), before))) {
          removed += Number(await references.whileUnknown(name, () => this.remove(name)));
        }
      }
    }
    return removed;
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
    private readonly temporary: string,
    private readonly final: string,
  ) {}

  get published(): boolean {
    return this.#published;
  }

  async publish(): Promise<void> {
    this.#published = true;
    try {
      await publishFile(this.temporary, this.final);
    } catch (error) {
      throw explainFull(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.temporary, { force: true });
  }
}

/** False also for a file that is gone: an upload that fails takes its own away. */
async function isOlder(path: string, instant: number): Promise<boolean> {
  return stat(path).then(({ mtimeMs }) => mtimeMs < instant, () => false);
}

/** Null where the error says that a file is not there; throws every other one. */
function orAbsent(error: unknown): null {
  if ((error as { code?: unknown }).code !== "ENOENT") {
    throw error;
  }
  return null;
}
