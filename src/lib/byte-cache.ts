interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** Values by key, at most so many bytes of them; what was used least recently goes first. For values that never go stale. */
export class ByteCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  /** `bytes`: about how much memory the value takes, without its key. A value that would take a quarter of all is not kept. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    const size = bytes + 2 * key.length + 64;
    if (size > this.maxBytes / 4) {
      return;
    }
    this.entries.set(key, { value, bytes: size });
    this.bytes += size;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.maxBytes) {
        break;
      }
      this.delete(oldest);
    }
  }

  private delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) {
      this.entries.delete(key);
      this.bytes -= entry.bytes;
    }
  }
}
