import { copyBytes } from "../../lib/copy-bytes.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import type { CopiedBytes } from "../pack/copy-check.ts";
import type { PackFile } from "../pack/pack-file.ts";
import type { SidebandSize } from "../wire/sideband.ts";
import { PackOutput } from "./pack-output.ts";

/** A recipe that takes more is not worth keeping: it is of a pack that is hardly copied, or of very many short parts. */
const largestRecipeBytes = 1280 * 1024;
/** How many bytes all packs in the making in this thread may have noted together, because readers may be slow. */
const maxNotedBytes = 8 * 1024 * 1024;
let notedBytes = 0;

/** Shorter parts are read with their neighbours, through the windows of the pack. */
const longBytes = 16 * 1024;

/** Numbers that stand for a part: which pack, from where, how many bytes. */
const partNumbers = 4;
/** In the place of a pack's number: the part is of what was made. */
const madeAnew = -1;

/**
 * How a pack was made out of one list of stored packs: the parts of them that it consists of, and the bytes in between
 * that were made anew, its checksum at the end included. It is sent again from that without looking for its objects,
 * compressing or hashing; stored packs that were damaged meanwhile are found by the CRC-32 of each part.
 */
export interface PackRecipe {
  /** bytes of the pack */
  readonly packBytes: number;
  /** for each part: the number of a stored pack in its database, or -1; where it starts there or in `made`; its length; its CRC-32, where it is of a stored pack */
  readonly parts: Float64Array;
  readonly made: Uint8Array;
  /** memory that it takes */
  readonly heldBytes: number;
}

/** Notes what a pack is made of, as long as that takes little memory. */
export class RecipeNotes implements Disposable {
  #parts = new Float64Array(64 * partNumbers);
  /** numbers in use */
  #length = 0;
  #made = new Uint8Array(4096);
  #madeLength = 0;
  #packBytes = 0;
  #held = 0;
  #isOpen = true;

  constructor(private readonly packs: readonly PackFile[]) {
    this.reserve(this.#parts.byteLength + this.#made.length);
  }

  /** The next bytes are those of a stored pack. */
  copied(pack: PackFile, from: number, to: number): void {
    this.add(this.packs.indexOf(pack), from, to - from);
  }

  /** Some of the bytes that were told of with `copied`. */
  take(bytes: Uint8Array, from: number, to: number): void {
    if (this.#isOpen) {
      const at = this.#length - 1;
      this.#parts[at] = Bun.hash.crc32(bytes.subarray(from, to), this.#parts[at]);
    }
  }

  /** The next bytes are `bytes[from..to)`. */
  wrote(bytes: Uint8Array, from: number, to: number): void {
    const at = this.#madeLength;
    const length = at + to - from;
    if (length > this.#made.length && this.#isOpen) {
      const room = Math.max(length, 2 * this.#made.length);
      if (this.reserve(room - this.#made.length)) {
        const grown = new Uint8Array(room);
        grown.set(this.#made);
        this.#made = grown;
      }
    }
    if (this.#isOpen) {
      const made = this.#made;
      if (to - from < 64) {
        // A call costs more than copying a few bytes.
        for (let read = from, write = at; read < to; read++) {
          made[write++] = bytes[read]!;
        }
      } else {
        copyBytes(bytes, from, to, made, at);
      }
      this.#madeLength = length;
      this.add(madeAnew, at, to - from);
    }
  }

  /** The recipe of the pack, when it is complete; null if it would have taken too much. */
  finish(): PackRecipe | null {
    if (!this.#isOpen) {
      return null;
    }
    const parts = this.#parts.slice(0, this.#length);
    const made = this.#made.slice(0, this.#madeLength);
    return { packBytes: this.#packBytes, parts, made, heldBytes: parts.byteLength + made.length };
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
    notedBytes -= this.#held;
    this.#held = 0;
    this.#parts = new Float64Array(0);
    this.#made = new Uint8Array(0);
  }

  private add(pack: number, from: number, bytes: number): void {
    const last = this.#length - partNumbers;
    if (last >= 0 && this.#parts[last] === pack && from === this.#parts[last + 1]! + this.#parts[last + 2]!) {
      this.#parts[last + 2] = this.#parts[last + 2]! + bytes;
    } else {
      if (this.#length === this.#parts.length && this.#isOpen && this.reserve(this.#parts.byteLength)) {
        const grown = new Float64Array(2 * this.#parts.length);
        grown.set(this.#parts);
        this.#parts = grown;
      }
      if (!this.#isOpen) {
        return;
      }
      this.#parts[this.#length++] = pack;
      this.#parts[this.#length++] = from;
      this.#parts[this.#length++] = bytes;
      this.#parts[this.#length++] = 0;
    }
    this.#packBytes += bytes;
  }

  /** Takes so much more memory; without it, or when it becomes too much for a recipe, there will be none. */
  private reserve(bytes: number): boolean {
    if (this.#held + bytes > largestRecipeBytes || notedBytes + bytes > maxNotedBytes) {
      this[Symbol.dispose]();
      return false;
    }
    this.#held += bytes;
    notedBytes += bytes;
    return true;
  }
}

/** Sends the pack of a recipe of this database again, in sideband packets or plain. Throws CorruptPack. */
export function* sendRecipe(
  db: ObjectDatabase,
  { parts, made }: PackRecipe,
  sideband: SidebandSize,
  pieceBytes: () => number,
): Generator<Uint8Array> {
  using out = new PackOutput(null, sideband, pieceBytes);
  for (let part = 0; part < parts.length; part += partNumbers) {
    const number = parts[part]!;
    const start = parts[part + 1]!;
    const end = start + parts[part + 2]!;
    const isLong = end - start >= longBytes;
    const sum = new PartSum();
    // Piece by piece, so that a reader who stops does not have the rest waiting in memory.
    for (let at = start; at < end;) {
      const to = Math.min(at + pieceBytes(), end);
      if (number === madeAnew) {
        out.write(made, at, to);
      } else if (isLong) {
        out.copyDirectly(db.packs[number]!, at, to, sum);
      } else {
        out.copy(db.packs[number]!, at, to, sum);
      }
      at = to;
      yield* out.take();
    }
    if (number !== madeAnew && sum.crc !== parts[part + 3]) {
      throw db.packs[number]!.corrupt(`its bytes from ${start} to ${end} are damaged`);
    }
  }
  yield* out.finish();
}

/** The CRC-32 of bytes that are copied. */
class PartSum implements CopiedBytes {
  crc = 0;

  take(bytes: Uint8Array, from: number, to: number): void {
    this.crc = Bun.hash.crc32(bytes.subarray(from, to), this.crc);
  }
}
