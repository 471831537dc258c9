import { deserialize, serialize } from "bun:jsc";

interface Entry {
  value: unknown;
  readonly bytes: number;
  /** whether it is data, which can be packed */
  readonly isData: boolean;
}

/** A result in one piece. */
class Packed {
  readonly #bytes: Uint8Array;

  constructor(value: unknown) {
    this.#bytes = serialize(value, { binaryType: "nodebuffer" });
  }

  unpack(): unknown {
    return deserialize(this.#bytes);
  }
}

/** Results worth keeping, least recently used first out. Each is a function of its key, so that none goes stale. */
export class Memo {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(readonly maxBytes: number) {}

  /** The kept result, or null. The caller vouches for its type by the key. */
  find<Value>(key: string): Value | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return null;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (entry.value instanceof Packed) {
      entry.value = entry.value.unpack();
    }
    return entry.value as Value;
  }

  /** bytes: about how much memory the value takes; isData: whether a structured clone of it is as good */
  keep(key: string, value: unknown, bytes: number, isData = true): void {
    this.#drop(key);
    this.#entries.set(key, { value, bytes: bytes + 2 * key.length, isData });
    this.#bytes += bytes + 2 * key.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) {
        break;
      }
      this.#drop(oldest);
    }
  }

  /**
   * Puts each result into one piece until it is asked for. The objects of a thousand small ones lie between what is garbage by now, and
   * hold 8 MB of the heap, which gives back whole blocks only.
   */
  pack(): void {
    for (const entry of this.#entries.values()) {
      if (entry.isData && typeof entry.value === "object" && !(entry.value instanceof Packed)) {
        entry.value = new Packed(entry.value);
      }
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
    }
  }
}

/** The part of a memo whose keys begin with a prefix. */
export class MemoScope {
  constructor(
    private readonly memo: Memo,
    private readonly prefix: string,
  ) {}

  /** what the memo keeps at most, all scopes together */
  get maxBytes(): number {
    return this.memo.maxBytes;
  }

  find<Value>(key: string): Value | null {
    return this.memo.find<Value>(this.prefix + key);
  }

  /** Keeps data. */
  keep(key: string, value: unknown, bytes: number): void {
    this.memo.keep(this.prefix + key, value, bytes);
  }

  /** Keeps something with methods. */
  keepObject(key: string, value: object, bytes: number): void {
    this.memo.keep(this.prefix + key, value, bytes, false);
  }
}
