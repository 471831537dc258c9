import { hexToBytes } from "./oid.ts";
import type { ObjectFormat } from "./object-format.ts";

/** Oids one behind the other, as bytes. Thousands of them as strings are a megabyte, of which most is no digit. */
export type PackedOids = Uint8Array<ArrayBuffer>;

/** Value of an ASCII hexadecimal digit in lower case, -1 for every other byte. */
const digitValue = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  digitValue[value.toString(16).charCodeAt(0)] = value;
}

/** Collects oids into one buffer. */
export class OidList {
  readonly #oidBytes: number;
  #bytes: PackedOids;
  #end = 0;

  constructor(readonly format: ObjectFormat) {
    this.#oidBytes = format.oidBytes;
    this.#bytes = new Uint8Array(16 * format.oidBytes);
  }

  get count(): number {
    return this.#end / this.#oidBytes;
  }

  /** Adds the oid whose digits, in lower case, begin at `text[at]`; false, and adds none, where they do not. */
  addHexAt(text: Uint8Array, at: number): boolean {
    if (at + 2 * this.#oidBytes > text.length) {
      return false;
    }
    this.#reserve();
    const bytes = this.#bytes;
    const end = this.#end + this.#oidBytes;
    for (let write = this.#end, read = at; write < end; write++, read += 2) {
      const byte = (digitValue[text[read]!]! << 4) | digitValue[text[read + 1]!]!;
      if (byte < 0) {
        return false;
      }
      bytes[write] = byte;
    }
    this.#end = end;
    return true;
  }

  /** Throws InvalidInput if `hex` is no oid. */
  addHex(hex: string): void {
    this.addAt(hexToBytes(hex), 0);
  }

  /** Adds the oid at `oids[at]`. */
  addAt(oids: Uint8Array, at: number): void {
    this.#reserve();
    this.#bytes.set(oids.subarray(at, at + this.#oidBytes), this.#end);
    this.#end += this.#oidBytes;
  }

  /** All that were added, in that order. Ends the use of the list. */
  pack(): PackedOids {
    return this.#resized(this.#end);
  }

  #reserve(): void {
    if (this.#end === this.#bytes.length) {
      this.#bytes = this.#resized(this.#bytes.length * 2);
    }
  }

  /** The memory before is free at once: left to the collector, that of fifty requests with thousands of oids was 10 MB. */
  #resized(length: number): PackedOids {
    return new Uint8Array(this.#bytes.buffer.transfer(length));
  }
}

/** Throws InvalidInput if one of them is no oid. */
export function packOids(hexes: Iterable<string>, format: ObjectFormat): PackedOids {
  const list = new OidList(format);
  for (const hex of hexes) {
    list.addHex(hex);
  }
  return list.pack();
}
