import { createReadStream } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { BlobTooLarge } from "../../../blobs/blob-store.ts";
import { filedPieces, type FiledBytes } from "../../../git/pack/filed-bytes.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { Busy } from "../../../lib/fair-share.ts";
import { explainFull } from "../../../lib/files.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { checkAttachment, type NewAttachment } from "./add-attachment.ts";
import { checkAttachmentName } from "./attachment-name.ts";
import { stageAttachment, type StagedAttachment } from "./stage-attachment.ts";

/*
 * A large file comes in parts before the form that it is for. A part that did not arrive is sent again from where the server is, so that a
 * lost connection costs one part. The parts lie in the server's directory of temporary files; a restart of the server ends all sessions.
 */

/** For whom, and to which repository. Nobody else sees the session. */
export interface UploadPlace {
  readonly userId: number;
  readonly repositoryId: number;
}

/** A session ends if nothing happens to it for so long. */
const idleMs = 6 * 60 * 60_000;
const mostSessions = 1000;
const mostOfUser = 100;
/** A user's sessions may announce so many files of the largest size together. */
const largestOfUser = 2;

/** A part does not begin where the last one ended, as after one that did arrive although its answer was lost. */
export class PartOutOfPlace extends StithyError {
  constructor(readonly received: number) {
    super("conflict", "part-out-of-place", `The next part begins at byte ${received}`, { received });
  }
}

/** A file that comes, or has come, in parts. */
export class UploadSession {
  readonly id: string = crypto.randomUUID();
  received = 0;
  /** null: not all of it has come. */
  staged: StagedAttachment | null = null;
  private isBusy = false;

  constructor(
    private readonly forge: Forge,
    readonly place: UploadPlace,
    readonly name: string,
    readonly size: number,
  ) {}

  private get path(): string {
    return join(this.forge.files.temporaryDirectory, `upload-${this.id}`);
  }

  /** The digest of the whole file; null before all of it has come. */
  get sha256(): string | null {
    return this.staged?.blob.sha256 ?? null;
  }

  /**
   * Adds the part that begins at `offset`. `sha256` is its digest, if the sender says one: other bytes are refused. With the last part the
   * file is whole, and has a digest. Throws PartOutOfPlace, InvalidInput, BlobTooLarge, InvalidAttachment (the kind of file), Conflict.
   */
  async append(offset: number, part: FiledBytes, sha256: string | null): Promise<void> {
    if (this.isBusy) {
      throw new Conflict("Another part of the file is just arriving");
    }
    if (offset !== this.received || this.staged !== null) {
      throw new PartOutOfPlace(this.received);
    }
    if (offset + part.size > this.size) {
      throw new BlobTooLarge(this.size);
    }
    this.isBusy = true;
    try {
      this.forge.files.room.demand();
      if (sha256 !== null && digestOf(part) !== sha256.toLowerCase()) {
        throw new InvalidInput("The part arrived damaged: its SHA-256 is another one. Send it again", "sha256");
      }
      await this.write(part);
      if (this.received === this.size) {
        await this.finish();
      }
    } finally {
      this.isBusy = false;
    }
  }

  private async write(part: FiledBytes): Promise<void> {
    // Not to append: what a failed write left behind is written over.
    const file = await open(this.path, this.received === 0 ? "w" : "r+", 0o600);
    try {
      let at = this.received;
      for (const piece of filedPieces(part)) {
        at += await writeAll(file, piece, at);
      }
      this.received = at;
    } catch (error) {
      throw explainFull(error);
    } finally {
      await file.close();
    }
  }

  private async finish(): Promise<void> {
    const staged = await stageAttachment(this.forge, createReadStream(this.path, { end: this.size - 1 }));
    try {
      checkAttachment(this.forge.config, { name: this.name, content: staged });
    } catch (error) {
      await staged[Symbol.asyncDispose]();
      throw error;
    }
    this.staged = staged;
    await rm(this.path, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { force: true });
    await this.staged?.[Symbol.asyncDispose]();
  }
}

async function writeAll(file: FileHandle, piece: Uint8Array, at: number): Promise<number> {
  for (let written = 0; written < piece.length;) {
    written += (await file.write(piece, written, piece.length - written, at + written)).bytesWritten;
  }
  return piece.length;
}

function digestOf(part: FiledBytes): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const piece of filedPieces(part)) {
    hasher.update(piece);
  }
  return hasher.digest("hex");
}

const isAt = (a: UploadPlace, b: UploadPlace) => a.userId === b.userId && a.repositoryId === b.repositoryId;

/** The uploads that are under way, and those that wait for their form. */
export class UploadSessions {
  private readonly sessions = new Map<string, { session: UploadSession; timer: ReturnType<typeof setTimeout> }>();

  constructor(private readonly forge: Forge) {}

  /** Begins one. Throws InvalidAttachment (the name), InvalidInput (the size), BlobTooLarge, Busy if there are too many. */
  begin(place: UploadPlace, { name, size }: { name: string; size: number }): UploadSession {
    const limit = this.forge.config.attachments.file_limit_bytes;
    checkAttachmentName(name);
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new InvalidInput("The size of a file is its number of bytes, which is at least 1", "size");
    }
    if (size > limit) {
      throw new BlobTooLarge(limit);
    }
    this.forge.files.room.demand();
    const all = [...this.sessions.values()].map(({ session }) => session);
    const own = all.filter((one) => one.place.userId === place.userId);
    const announced = own.reduce((sum, one) => sum + one.size, size);
    if (own.length >= mostOfUser || announced > largestOfUser * limit) {
      throw new Busy("own", "uploads", own.length);
    }
    if (all.length >= mostSessions) {
      throw new Busy("server", "uploads", all.length);
    }
    const session = new UploadSession(this.forge, place, name, size);
    this.keep(session);
    return session;
  }

  private keep(session: UploadSession): void {
    clearTimeout(this.sessions.get(session.id)?.timer);
    const timer = setTimeout(() => void this.end(session.id), idleMs);
    timer.unref();
    this.sessions.set(session.id, { session, timer });
  }

  /** Throws NotFound, also for somebody else's. */
  get(place: UploadPlace, id: string): UploadSession {
    const found = this.sessions.get(id)?.session;
    if (found === undefined || !isAt(found.place, place) || found.staged?.blob.published === true) {
      throw new NotFound("upload", id.slice(0, 80));
    }
    this.keep(found);
    return found;
  }

  /** Those of these ids that are there and whole, to be attached. */
  whole(place: UploadPlace, ids: readonly string[]): (NewAttachment & { id: string; sha256: string; size: number })[] {
    return ids.flatMap((id) => {
      const found = this.sessions.get(id)?.session;
      return found === undefined || found.staged === null || !isAt(found.place, place) || found.staged.blob.published
        ? []
        : [{ id, name: found.name, size: found.size, content: found.staged, sha256: found.staged.blob.sha256 }];
    });
  }

  /** Ends one; its file goes, unless it was attached. */
  async end(id: string): Promise<void> {
    const found = this.sessions.get(id);
    this.sessions.delete(id);
    clearTimeout(found?.timer);
    await found?.session[Symbol.asyncDispose]();
  }
}

/** Each server of a process has its own. */
const known = new WeakMap<object, UploadSessions>();

export function uploadSessionsOf(forge: Forge): UploadSessions {
  const found = known.get(forge.database) ?? new UploadSessions(forge);
  known.set(forge.database, found);
  return found;
}
