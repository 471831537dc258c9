import { SpilledObject } from "../pack/spilled-object.ts";

/** If there are more than two objects, so many bytes are kept. */
const keptBytes = 256 * 1024 * 1024;

/** The large objects that deltas were applied to last, by entry: always the last two, a base and what is made of it. */
export class SpilledObjects implements Disposable {
  readonly #kept = new Map<number, SpilledObject>();
  #bytes = 0;

  constructor(private readonly directory: string) {}

  [Symbol.dispose](): void {
    for (const entry of this.#kept.keys()) {
      this.#drop(entry);
    }
  }

  has(entry: number): boolean {
    return this.#kept.has(entry);
  }

  /** One that is here, and will stay until two others were asked for or made. */
  get(entry: number): SpilledObject {
    const found = this.#kept.get(entry)!;
    this.#kept.delete(entry);
    this.#kept.set(entry, found);
    return found;
  }

  /** Throws StorageFull, and what `pieces` throws. */
  make(entry: number, pieces: Iterable<Uint8Array>): void {
    const made = SpilledObject.of(this.directory, pieces);
    this.#kept.set(entry, made);
    this.#bytes += made.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= 2 || this.#bytes <= keptBytes) {
        return;
      }
      this.#drop(oldest);
    }
  }

  #drop(entry: number): void {
    const found = this.#kept.get(entry)!;
    this.#kept.delete(entry);
    this.#bytes -= found.size;
    found[Symbol.dispose]();
  }
}
