import { open, type FileHandle } from "node:fs/promises";
import type { FiledBytes } from "../git/pack/filed-bytes.ts";
import { explainFull } from "../lib/files.ts";
import { releaseBytes } from "../lib/release-bytes.ts";

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64 (RFC 4648, section 4) that arrives in chunks, into a new file. */
export class Base64File implements AsyncDisposable {
  #size = 0;
  /** The incomplete last group of four characters. */
  #rest = "";
  #isPadded = false;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
  ) {}

  static async create(path: string): Promise<Base64File> {
    return new Base64File(await open(path, "wx", 0o600), path);
  }

  /** Closes the file and keeps it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.file.close();
  }

  /** Decodes the next characters. Returns false if they are not base64. Throws StorageFull. */
  async write(characters: Uint8Array): Promise<boolean> {
    const text =
      this.#rest + Buffer.from(characters.buffer, characters.byteOffset, characters.length).toString("latin1");
    const whole = text.length - (text.length % 4);
    const groups = text.slice(0, whole);
    this.#rest = text.slice(whole);
    if (groups === "") {
      return true;
    }
    if (this.#isPadded || !alphabet.test(groups)) {
      return false;
    }
    this.#isPadded = groups.endsWith("=");
    const bytes = Buffer.from(groups, "base64");
    try {
      for (let written = 0; written < bytes.length;) {
        written += (await this.file.write(bytes, written)).bytesWritten;
      }
    } catch (error) {
      throw explainFull(error);
    }
    this.#size += bytes.length;
    releaseBytes(bytes);
    return true;
  }

  /** Returns what was written, or null if the last group is incomplete. */
  finish(): FiledBytes | null {
    return this.#rest === "" ? { path: this.path, size: this.#size } : null;
  }
}
