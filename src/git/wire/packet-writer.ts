import type { Sideband } from "./sideband.ts";
import { delimiterPacket, flushPacket, maxPacketBytes, putPacketLength, responseEndPacket } from "./pkt-line.ts";

const encoder = new TextEncoder();

/** Collects packets into one buffer. `take` hands out what was collected and begins anew. */
export class PacketWriter {
  #buffer = new Uint8Array(4096);
  #length = 0;
  readonly #head: number;

  /** `band`: what each packet but the marks is to begin with, for a conversation that goes through the sideband as a whole. */
  constructor(private readonly band: Sideband | null = null) {
    this.#head = band === null ? 4 : 5;
  }

  /** bytes collected since the last `take` */
  get length(): number {
    return this.#length;
  }

  /** One packet of text; a line feed is added, as git does for its lines. */
  line(text: string): this {
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    this.#reserve(text.length * 3 + this.#head + 1);
    const start = this.#length + this.#head;
    const { written } = encoder.encodeInto(text, this.#buffer.subarray(start));
    this.#buffer[start + written] = 10;
    return this.#seal(written + this.#head + 1);
  }

  /** One packet with this payload, as it is. */
  data(payload: Uint8Array): this {
    this.#reserve(payload.length + this.#head);
    this.#buffer.set(payload, this.#length + this.#head);
    return this.#seal(payload.length + this.#head);
  }

  flush(): this {
    return this.#raw(flushPacket);
  }

  delimiter(): this {
    return this.#raw(delimiterPacket);
  }

  responseEnd(): this {
    return this.#raw(responseEndPacket);
  }

  /** Returns the collected bytes; the writer is empty afterwards. */
  take(): Uint8Array {
    const bytes = this.#buffer.slice(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #seal(length: number): this {
    if (length > maxPacketBytes) {
      throw new RangeError(`A packet of ${length} bytes is longer than ${maxPacketBytes}`);
    }
    putPacketLength(this.#buffer, this.#length, length);
    if (this.band !== null) {
      this.#buffer[this.#length + 4] = this.band;
    }
    this.#length += length;
    return this;
  }

  #raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + bytes));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
  }
}
