import { restWithThread } from "./garbage.ts";

interface Entry<Value> {
  readonly value: Value | Packed;
  readonly bytes: number;
}

/** A value of many small objects, as one text: they stand among what others leave, and none of the memory around them can be given back. */
class Packed {
  constructor(readonly json: string) {}
}

/**
 * What happens to values at a long rest of the thread: nothing, for those that take long to find again; or they are
 * forgotten, for those that are there again in 2 ms; or packed until each is asked for again, for those that are the same after they
 * were written as JSON.
 */
type AtRest = "keep" | "forget" | "pack";

/** Values by key, at most so many bytes of them; what was used least recently goes first. For values that never go stale. */
export class ByteCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly atRest: AtRest = "keep",
  ) {
    if (atRest !== "keep") {
      restWithThread(this);
    }
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    const value = entry.value instanceof Packed ? (JSON.parse(entry.value.json) as Value) : entry.value;
    this.entries.delete(key);
    this.entries.set(key, { value, bytes: entry.bytes });
    return value;
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

  rest(): void {
    if (this.atRest === "forget") {
      this.entries.clear();
      this.bytes = 0;
    } else if (this.atRest === "pack") {
      for (const [key, { value, bytes }] of this.entries) {
        this.entries.set(key, { value: value instanceof Packed ? value : new Packed(JSON.stringify(value)), bytes });
      }
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
