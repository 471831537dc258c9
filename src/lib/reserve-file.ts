import { statSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import { isFull } from "./files.ts";

const mebibyte = 1024 * 1024;

/** A file whose only use is the room that it takes, until somebody else needs that room. */
export class ReserveFile {
  constructor(private readonly path: string) {}

  /** Bytes; null where there is no such file. */
  get size(): number | null {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? null;
  }

  /** Gives the room up. */
  giveUp(): void {
    try {
      // Shortened, not removed: that takes no room even where a removal is written down first.
      truncateSync(this.path, 0);
    } catch {
      // There is none.
    }
  }

  /**
   * Lets the file grow to so many bytes, as far as there is room, and as long as it is wanted. Throws the system's error for
   * anything but a full disk.
   */
  async grow(bytes: number, isWanted: () => boolean = () => true): Promise<void> {
    const file = await open(this.path, "a", 0o600);
    try {
      for (let left = bytes - (this.size ?? 0); left > 0 && isWanted(); left -= mebibyte) {
        const piece = Buffer.allocUnsafe(Math.min(left, mebibyte));
        // Random, since some file systems keep no room for zeros.
        for (let at = 0; at < piece.length; at += 65_536) {
          crypto.getRandomValues(piece.subarray(at, at + 65_536));
        }
        await file.writeFile(piece);
      }
      await file.sync();
    } catch (error) {
      if (!isFull(error)) {
        throw error;
      }
    } finally {
      await file.close();
    }
  }
}
