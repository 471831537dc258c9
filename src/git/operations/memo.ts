interface Entry {
  readonly value: unknown;
  readonly bytes: number;
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
    return entry.value as Value;
  }

  /** bytes: about how much memory the value takes */
  keep(key: string, value: unknown, bytes: number): void {
    this.#drop(key);
    this.#entries.set(key, { value, bytes: bytes + 2 * key.length });
    this.#bytes += bytes + 2 * key.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) {
        break;
      }
      this.#drop(oldest);
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

  keep(key: string, value: unknown, bytes: number): void {
    this.memo.keep(this.prefix + key, value, bytes);
  }
}
