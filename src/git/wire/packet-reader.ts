import type { OidList } from "../objects/oid-list.ts";
import { maxPacketBytes, parsePacketLength, type Packet, type PacketMark, packetText } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";

export interface PacketLimits {
  /** longest packet accepted, its length digits included; at most 65520 */
  readonly packetBytes?: number;
  /** bytes of packets accepted in all before `rest` is asked for */
  readonly totalBytes?: number;
}

/** The text of a packet, or a mark. */
type PacketLine = { readonly line: string } | { readonly mark: "flush" | "delimiter" | "response-end" | "end" };

/**
 * Reads packets from a stream of chunks of any size. It holds at most one packet and one chunk.
 * Every violation throws ProtocolError: length digits that are none, a packet over the limit, an end inside a packet.
 */
export class PacketReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #packetBytes: number;
  readonly #totalBytes: number;
  #chunk = new Uint8Array(0);
  #at = 0;
  #ended = false;
  #read = 0;

  constructor(source: AsyncIterable<Uint8Array>, limits: PacketLimits = {}) {
    this.#chunks = source[Symbol.asyncIterator]();
    this.#packetBytes = Math.min(limits.packetBytes ?? maxPacketBytes, maxPacketBytes);
    this.#totalBytes = limits.totalBytes ?? Number.POSITIVE_INFINITY;
  }

  /** The next packet, or null at a clean end of the stream. The bytes are valid until the next call. */
  async next(): Promise<Packet | null> {
    const digits = await this.#take(4);
    if (digits === null) {
      return null;
    }
    const length = parsePacketLength(digits, 0);
    if (length === null) {
      throw new ProtocolError("A packet does not begin with its length");
    }
    if (length < 4) {
      return markOf(length);
    }
    if (length > this.#packetBytes) {
      throw new ProtocolError(`A packet of ${length} bytes is longer than the ${this.#packetBytes} accepted`);
    }
    if (length === 4) {
      return new Uint8Array(0);
    }
    const payload = await this.#take(length - 4);
    if (payload === null) {
      throw new ProtocolError("The stream ended inside a packet");
    }
    return payload;
  }

  /** The next packet as text without its line feed; marks and the end as they are. */
  async nextLine(): Promise<PacketLine> {
    const packet = await this.next();
    return packet === null ? { mark: "end" } : lineOf(packet);
  }

  /**
   * Returns the next line if all of it has arrived, else null. Callers that read many lines try this first: a clone
   * names thousands of objects, and to await each one takes four promises, 50 MB for fifty clones that begin at once.
   */
  readyLine(): PacketLine | null {
    const length = this.#chunk.length - this.#at < 4 ? null : parsePacketLength(this.#chunk, this.#at);
    const size = length === null ? 0 : Math.max(length, 4);
    // The error is thrown where the line is awaited.
    if (
      length === null ||
      size > Math.min(this.#packetBytes, this.#chunk.length - this.#at) ||
      this.#read + size > this.#totalBytes
    ) {
      return null;
    }
    this.#read += size;
    this.#at += size;
    return lineOf(length < 4 ? markOf(length) : this.#chunk.subarray(this.#at - size + 4, this.#at));
  }

  /**
   * Reads the lines of `start` and an oid that have come already, up to the first that is another one, and adds the oids
   * to `oids`. No line becomes a string: fifty clones that begin at once and name thousands of objects left 40 MB of them.
   */
  readyOids(start: Uint8Array, oids: OidList): void {
    const bare = 4 + start.length + oids.format.hexLength;
    const chunk = this.#chunk;
    for (;;) {
      const at = this.#at;
      const size = chunk.length - at < bare ? null : parsePacketLength(chunk, at);
      // With a line feed or without.
      const fits = size === bare || (size === bare + 1 && chunk[at + bare] === 10);
      if (
        !fits ||
        size > this.#packetBytes ||
        this.#read + size > this.#totalBytes ||
        !beginsWith(chunk, at + 4, start) ||
        !oids.addHexAt(chunk, at + 4 + start.length)
      ) {
        return;
      }
      this.#read += size;
      this.#at += size;
    }
  }

  /** All bytes after the last packet read, as they come (the pack of a push). Ends the reader's own use. */
  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#at < this.#chunk.length) {
      const left = this.#chunk.subarray(this.#at);
      this.#at = this.#chunk.length;
      yield left;
    }
    while (!this.#ended) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        this.#ended = true;
        return;
      }
      yield value;
    }
  }

  /** Exactly `count` bytes; null when the stream has ended before the first of them. */
  async #take(count: number): Promise<Uint8Array | null> {
    this.#read += count;
    if (this.#read > this.#totalBytes) {
      throw new ProtocolError(`A request of more than ${this.#totalBytes} bytes is not accepted`);
    }
    if (this.#chunk.length - this.#at >= count) {
      this.#at += count;
      return this.#chunk.subarray(this.#at - count, this.#at);
    }
    const out = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (this.#at === this.#chunk.length && !(await this.#refill())) {
        if (filled === 0) {
          return null;
        }
        throw new ProtocolError("The stream ended inside a packet");
      }
      const part = this.#chunk.subarray(this.#at, this.#at + count - filled);
      out.set(part, filled);
      filled += part.length;
      this.#at += part.length;
    }
    return out;
  }

  async #refill(): Promise<boolean> {
    while (!this.#ended) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        this.#ended = true;
      } else if (value.length > 0) {
        this.#chunk = value as Uint8Array<ArrayBuffer>;
        this.#at = 0;
        return true;
      }
    }
    return false;
  }
}

function beginsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let index = 0; index < start.length; index++) {
    if (bytes[at + index] !== start[index]) {
      return false;
    }
  }
  return true;
}

function markOf(length: number): PacketMark {
  return length === 0 ? "flush" : length === 1 ? "delimiter" : "response-end";
}

function lineOf(packet: Packet): PacketLine {
  return typeof packet === "string" ? { mark: packet } : { line: packetText(packet) };
}
