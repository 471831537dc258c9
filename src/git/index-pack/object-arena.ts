import { releaseBytes } from "../../lib/release-bytes.ts";
import { inflateSpareBytes } from "../pack/inflate.ts";

/** Kept free before each object, so that the header that is hashed with it can be written there. */
const headroomBytes = 32;

/**
 * Where the indexer keeps recent objects, since most deltas have a base that came shortly before: one buffer that is
 * written round and round. What is overwritten is forgotten without any bookkeeping: an object is still there as
 * long as less than the buffer's size was written after it. Large objects are kept apart, up to a limit. Their memory is given back on purpose:
 * left to the garbage collector, a gigabyte of it piled up in four threads.
 */
export class ObjectArena implements Disposable {
  /** Where the object last allocated or located lies. */
  buffer: Uint8Array;
  at = 0;
  /** Bytes written since the beginning; modulo the ring's size, where the next object goes. */
  private written = 0;
  /** By entry, the value of `written` at its first byte; very low for "never". */
  private places: Float64Array;
  private readonly large = new Map<number, Uint8Array>();
  private largeBytes = 0;
  /** Large objects that are no longer kept: the last one allocated may still be made of them. */
  private dropped: Uint8Array[] = [];

  private readonly ringBytes: number;

  /** `ring`: room for the recent objects; what is in it does not matter. */
  constructor(
    private readonly ring: Uint8Array,
    private readonly largeLimitBytes: number,
    entries: number,
  ) {
    this.ringBytes = ring.length;
    this.buffer = ring;
    this.places = new Float64Array(entries).fill(-Infinity);
  }

  /**
   * Room for an object of `size` bytes, at `buffer[at]`, and `headroomBytes` before it. The `inflateSpareBytes` behind it
   * are free to be written to until the next object is allocated.
   */
  allocate(entry: number, size: number): void {
    if (size > this.ringBytes / 4) {
      this.allocateLarge(entry, size);
      return;
    }
    const need = neededBytes(size);
    let start = this.written % this.ringBytes;
    if (start + need + inflateSpareBytes > this.ringBytes) {
      this.written += this.ringBytes - start;
      start = 0;
    }
    if (entry >= this.places.length) {
      const grown = new Float64Array(entry + 1024).fill(-Infinity);
      grown.set(this.places);
      this.places = grown;
    }
    this.places[entry] = this.written + headroomBytes;
    this.written += need;
    this.buffer = this.ring;
    this.at = start + headroomBytes;
  }

  /** Whether an object is still here, and will be after `room` bytes more; then it lies at `buffer[at]`. */
  locate(entry: number, room: number): boolean {
    const large = this.large.get(entry);
    if (large !== undefined) {
      this.buffer = large;
      this.at = headroomBytes;
      return true;
    }
    const place = entry < this.places.length ? this.places[entry]! : -Infinity;
    if (this.written + room + inflateSpareBytes - (place - headroomBytes) >= this.ringBytes) {
      return false;
    }
    this.buffer = this.ring;
    this.at = place % this.ringBytes;
    return true;
  }

  /**
   * How many bytes `locate` must spare so that an object of `size` can be allocated, which may have to skip the ring's
   * end.
   */
  roomFor(size: number): number {
    return size > this.ringBytes / 4 ? 0 : 2 * neededBytes(size) + inflateSpareBytes;
  }

  private allocateLarge(entry: number, size: number): void {
    const need = neededBytes(size) + inflateSpareBytes;
    const spare = this.dropped.find(({ length }) => length >= need && length < 2 * need);
    this.dropped.filter((each) => each !== spare).forEach(releaseBytes);
    this.dropped = [];
    const bytes = spare ?? new Uint8Array(need);
    this.dropLarge(entry);
    this.large.set(entry, bytes);
    this.largeBytes += bytes.length;
    for (const oldest of this.large.keys()) {
      if (this.largeBytes <= this.largeLimitBytes || oldest === entry) {
        break;
      }
      this.dropLarge(oldest);
    }
    this.buffer = bytes;
    this.at = headroomBytes;
  }

  private dropLarge(entry: number): void {
    const bytes = this.large.get(entry);
    if (bytes !== undefined) {
      this.largeBytes -= bytes.length;
      this.large.delete(entry);
      this.dropped.push(bytes);
    }
  }

  [Symbol.dispose](): void {
    [...this.large.values(), ...this.dropped].forEach(releaseBytes);
    this.large.clear();
    this.dropped = [];
  }
}

function neededBytes(size: number): number {
  return headroomBytes + size;
}
