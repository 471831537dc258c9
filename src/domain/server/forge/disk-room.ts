import { statfsSync } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StithyError, messageOf } from "../../../lib/errors.ts";
import { lastFullAt } from "../../../lib/files.ts";
import type { Logger } from "../../../lib/log.ts";
import { ReserveFile } from "../../../lib/reserve-file.ts";

/** The disk is full or nearly full. Nothing is changed. */
export class StorageReadOnly extends StithyError {
  constructor() {
    super(
      "busy",
      "storage-read-only",
      "The server's disk is full, so nothing can be changed at the moment. What is there can be read, and changes are taken again as soon as there is room",
    );
  }
}

/** A look counts for so long: it costs microseconds, and every write asks. */
const lookMs = 1000;
/** While the disk is full it is looked at so often, and no longer. */
const watchMs = 5000;
/** After a write that found no room, the health check tries to write for so long. */
const suspectMs = 10 * 60_000;
const probeBytes = 1024 * 1024;
const mebibyte = 1024 * 1024;
/** With fewer free inodes there is no room for files, either. Some file systems count none. */
const scarceInodes = 100;

/**
 * How many bytes a start of the database needs at most on a full disk: two segments of its log, and files of a few
 * kilobytes. Once it has the segments, the files are enough.
 */
const startBytes = 36 * mebibyte;
const startFilesBytes = mebibyte;

const reserveName = "reserve";
const startReserveName = "reserve-start";
const probeName = "probe";

/** The free bytes of a disk. */
interface FreeRoom {
  /** Bytes that this user may write. */
  free: number;
  /** How many files; Infinity where the file system does not count them. */
  inodes: number;
}

function freeRoom(directory: string): FreeRoom {
  const { bavail, bsize, files, ffree } = statfsSync(directory);
  return { free: bavail * bsize, inodes: files === 0 ? Infinity : ffree };
}

/**
 * The room on the disk of the data directory. With less than half the reserve free it refuses changes, so that the
 * database can go on: PostgreSQL ends when it cannot write its log, and needs room to start again.
 *
 * The reserve is a file of random bytes, `<data>/reserve`, for the case that somebody else fills the disk: it is emptied
 * when room is short, and made again when there is room for it twice. Until then the disk counts as full, after a
 * restart, too. Nothing is written while all is well, and nothing runs.
 *
 * A process that fills the disk may fill the room of the reserve, too, and PostgreSQL starts only if it can write. So a second file,
 * `<data>/reserve-start`, is given up for nothing but a start of PostgreSQL, and a megabyte of it is taken again when PostgreSQL runs.
 */
export class DiskRoom implements Disposable {
  #full = false;
  #lookedAt = -Infinity;
  #watch: ReturnType<typeof setInterval> | null = null;
  #reserving: Promise<void> | null = null;
  readonly #reserve: ReserveFile;
  readonly #startReserve: ReserveFile;
  readonly #startBytes: number;
  readonly #probe: string;

  constructor(
    private readonly directory: string,
    private readonly reserveBytes: number,
    private readonly log: Logger,
    private readonly measure: (directory: string) => FreeRoom = freeRoom,
  ) {
    this.#reserve = new ReserveFile(join(directory, reserveName));
    this.#startReserve = new ReserveFile(join(directory, startReserveName));
    this.#startBytes = reserveBytes === 0 ? 0 : startBytes;
    this.#probe = join(directory, probeName);
  }

  /** Whether there is room for changes. `fresh`: whatever the last look said. */
  hasRoom(fresh = false): boolean {
    if (this.reserveBytes > 0 && (fresh || performance.now() - this.#lookedAt >= lookMs)) {
      this.#look();
    }
    return !this.#full;
  }

  /** Throws StorageReadOnly when there is no room for changes. */
  demand(): void {
    if (!this.hasRoom()) {
      throw new StorageReadOnly();
    }
  }

  /**
   * For the health check. Throws StorageReadOnly when there is no room. After a write that found none, it writes a
   * megabyte to see whether there is some, since quotas do not show otherwise; throws the system's error when it fails.
   */
  async check(): Promise<void> {
    this.demand();
    if (Date.now() - lastFullAt() < suspectMs) {
      try {
        await writeFile(this.#probe, crypto.getRandomValues(new Uint8Array(65_536)), { mode: 0o600 });
        const file = await open(this.#probe, "a");
        try {
          for (let written = 65_536; written < probeBytes; written += 65_536) {
            await file.writeFile(crypto.getRandomValues(new Uint8Array(65_536)));
          }
          await file.sync();
        } finally {
          await file.close();
        }
      } finally {
        await rm(this.#probe, { force: true });
      }
    }
  }

  /** Gives the database the room that it may need for its start. */
  giveToDatabase(): void {
    this.hasRoom(true);
    if (this.#startBytes > 0 && this.measure(this.directory).free < this.#startBytes) {
      this.#startReserve.giveUp();
    }
  }

  /** Explains to the administrator that the server ends because the disk is full; null if there is room. */
  explainShortage(): string | null {
    const needed = Math.max(this.reserveBytes, 64 * mebibyte);
    const { free, inodes } = this.measure(this.directory);
    return free >= needed / 4 && inodes >= scarceInodes
      ? null
      : `There is no room left on the disk of ${this.directory}, and the database cannot start: free at least ${Math.ceil((2 * needed) / mebibyte)} MiB there and try again`;
  }

  /**
   * Makes the reserves where they are missing and there is room for them twice. On a full disk it only takes back what the
   * next start of the database needs. Failures are logged.
   */
  keepReserve(): Promise<void> {
    this.#reserving ??= this.#makeReserves().finally(() => (this.#reserving = null));
    return this.#reserving;
  }

  #look(): void {
    this.#lookedAt = performance.now();
    let found: FreeRoom;
    try {
      found = this.measure(this.directory);
    } catch (error) {
      this.log.warn({ reason: messageOf(error) }, "The room on the disk cannot be asked for");
      return;
    }
    const { free, inodes } = found;
    const isShort =
      inodes < scarceInodes ||
      free < this.reserveBytes / 2 ||
      (this.#isGivenUp() && free < 2 * this.reserveBytes && this.#reserving === null);
    if (!this.#full && isShort) {
      this.#full = true;
      this.#reserve.giveUp();
      this.log.error(
        { directory: this.directory, free, inodes, needed: 2 * this.reserveBytes },
        `The disk of ${this.directory} is full: changes are refused until ${Math.ceil((2 * this.reserveBytes) / mebibyte)} MiB are free`,
      );
      this.#watch ??= setInterval(() => {
        this.#look();
        void this.keepReserve();
      }, watchMs);
      this.#watch.unref();
    } else if (this.#full && free >= 2 * this.reserveBytes && inodes >= scarceInodes) {
      this.#full = false;
      clearInterval(this.#watch ?? undefined);
      this.#watch = null;
      this.log.info({ directory: this.directory, free }, "There is room on the disk again: changes are taken");
      void this.keepReserve();
    }
  }

  /** Whether the reserve was there and is not whole: room was short, or its making was interrupted. */
  #isGivenUp(): boolean {
    const { size } = this.#reserve;
    return size !== null && size !== this.reserveBytes;
  }

  async #makeReserves(): Promise<void> {
    for (const [file, bytes] of [
      [this.#reserve, this.reserveBytes],
      [this.#startReserve, this.#startBytes],
    ] as const) {
      if (bytes > 0 && (file.size ?? 0) > bytes) {
        file.giveUp();
      }
      const missing = bytes - (file.size ?? 0);
      if (missing > 0 && !this.#full && this.measure(this.directory).free >= missing + this.reserveBytes) {
        await this.#fill(file, bytes);
      }
    }
    if (this.#full || (this.#reserve.size ?? 0) < this.reserveBytes) {
      this.#reserve.giveUp();
    }
    if (this.#full && this.#startReserve.size === 0) {
      await this.#fill(this.#startReserve, startFilesBytes);
    }
  }

  async #fill(file: ReserveFile, bytes: number): Promise<void> {
    try {
      await file.grow(bytes, file === this.#reserve ? () => !this.#full : undefined);
    } catch (error) {
      this.log.warn({ reason: messageOf(error) }, "Disk space could not be reserved");
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch ?? undefined);
    this.#watch = null;
  }
}
