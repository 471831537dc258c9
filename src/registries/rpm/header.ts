import { isUtf8 } from "node:buffer";
import { StithyError } from "../../lib/errors.ts";

/**
 * A header of an rpm package (of formats 3, 4 and 6): a list of tags with values. All numbers are big-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 8 | 8e ad e8 01 and four that are zero |
 * | 4, 4 | how many entries, how many bytes of values |
 * | 16 each | entries: tag, type, where its values start, how many they are |
 * | | the values |
 *
 * The first entry is the region: the entries that the package was made with, which signatures cover. Its value stands behind
 * the others and is an entry itself, whose start is the size of the region's entries, negative.
 *
 * Source: "RPM V4 Package format" and "RPM Tags" of rpm's manual.
 */

/** The file is no package that can be taken; the message says why. */
export class BadRpm extends StithyError {
  constructor(message: string) {
    super("malformed", "bad-rpm", `This is no rpm package that can be taken: ${message}`);
  }
}

export const rpmTypes = {
  int8: 2,
  int16: 3,
  int32: 4,
  int64: 5,
  string: 6,
  binary: 7,
  strings: 8,
  translated: 9,
} as const;

/** Bytes of a number's values, by type. */
const sizeOf: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 };

export const headerIntroBytes = 16;
export const headerEntryBytes = 16;
const magic = 0x8eade801;
/** As rpm has it. */
const mostEntries = 0xffff;
/** The most values of one tag. A file of a package has one in several tags; packages of 100,000 files exist. */
const mostValues = 200_000;

export interface RpmEntry {
  readonly tag: number;
  readonly type: number;
  readonly offset: number;
  readonly count: number;
}

/** Returns how many bytes a header has, by its first 16. Throws BadRpm when they begin none, or one of more than `limit` bytes. */
export function headerLength(intro: Buffer, limit: number): number {
  if (intro.length < headerIntroBytes) {
    throw new BadRpm("it ends within a header");
  }
  if (intro.readUInt32BE(0) !== magic) {
    throw new BadRpm("a header does not begin with 8eade801");
  }
  const entries = intro.readUInt32BE(8);
  const length = headerIntroBytes + entries * headerEntryBytes + intro.readUInt32BE(12);
  if (entries === 0 || entries > mostEntries) {
    throw new BadRpm(`a header has ${entries} entries`);
  }
  if (length > limit) {
    throw new BadRpm(`a header has ${length} bytes, more than the ${limit} that are read`);
  }
  return length;
}

/** A header, read from bytes that are kept. Values are looked at when they are asked for; whatever is wrong with them throws BadRpm. */
export class RpmHeader {
  readonly #entries = new Map<number, RpmEntry>();
  readonly #values: Buffer;

  /**
   * `bytes` are those of the whole header. `region` is the tag of the region that must hold all its entries, or null: that of a
   * signature header matters to nobody.
   */
  constructor(
    readonly bytes: Buffer,
    region: number | null,
  ) {
    const length = headerLength(bytes, bytes.length);
    if (length !== bytes.length) {
      throw new BadRpm("it ends within a header");
    }
    const count = bytes.readUInt32BE(8);
    this.#values = bytes.subarray(headerIntroBytes + count * headerEntryBytes);
    for (let at = 0; at < count; at++) {
      const entry = readEntry(bytes, headerIntroBytes + at * headerEntryBytes);
      if (this.#entries.has(entry.tag)) {
        throw new BadRpm(`a header has the tag ${entry.tag} twice`);
      }
      this.#entries.set(entry.tag, entry);
    }
    if (region !== null) {
      this.#checkRegion(region, count);
    }
  }

  has(tag: number): boolean {
    return this.#entries.has(tag);
  }

  /** The entries, in their order. */
  entries(): readonly RpmEntry[] {
    return [...this.#entries.values()];
  }

  /** The only text of a tag, or the first of several (of translations: the one that is none); null without the tag. */
  text(tag: number): string | null {
    return this.#entries.has(tag) ? (this.#texts(tag, 1)[0] ?? null) : null;
  }

  /** All texts of a tag; none without it. */
  texts(tag: number): string[] {
    return this.#entries.has(tag) ? this.#texts(tag, mostValues) : [];
  }

  /** The first number of a tag; null without it. */
  number(tag: number): number | null {
    return this.numbers(tag)[0] ?? null;
  }

  /** All numbers of a tag; none without it. They have no sign. */
  numbers(tag: number): ArrayLike<number> {
    const entry = this.#entries.get(tag);
    if (entry === undefined) {
      return [];
    }
    const size = sizeOf[entry.type];
    if (size === undefined) {
      throw new BadRpm(`the tag ${tag} has no numbers`);
    }
    const bytes = this.#slice(entry, size);
    const found = new Float64Array(entry.count);
    for (let at = 0; at < entry.count; at++) {
      found[at] = size === 8 ? Number(bytes.readBigUInt64BE(at * 8)) : bytes.readUIntBE(at * size, size);
    }
    return found;
  }

  /** The bytes of a binary tag; null without it. */
  binary(tag: number): Buffer | null {
    const entry = this.#entries.get(tag);
    if (entry === undefined) {
      return null;
    }
    if (entry.type !== rpmTypes.binary) {
      throw new BadRpm(`the tag ${tag} has no bytes`);
    }
    return this.#slice(entry, 1);
  }

  /** The bytes that an entry's values take, whatever they are. */
  raw(entry: RpmEntry): Buffer {
    const size = entry.type === rpmTypes.binary ? 1 : sizeOf[entry.type];
    if (size !== undefined) {
      return this.#slice(entry, size);
    }
    let end = entry.offset;
    for (const each of this.#ends(entry, mostValues)) {
      end = each + 1;
    }
    return this.#values.subarray(entry.offset, end);
  }

  #slice({ tag, offset, count }: RpmEntry, size: number): Buffer {
    if (offset + count * size > this.#values.length || (count > mostValues && size > 1)) {
      throw new BadRpm(`the values of the tag ${tag} are not in the header`);
    }
    return this.#values.subarray(offset, offset + count * size);
  }

  #texts(tag: number, most: number): string[] {
    const entry = this.#entries.get(tag)!;
    const { offset } = entry;
    const ends = [...this.#ends(entry, most)];
    const end = ends.at(-1) ?? offset;
    // As one text, which takes a fraction of the time of many; but for those that are not UTF-8, each by itself.
    const all = decodeText(this.#values, offset, end);
    if (all !== null) {
      return ends.length === 0 ? [] : all.split("\0");
    }
    return ends.map((each, at) => {
      const start = at === 0 ? offset : ends[at - 1]! + 1;
      return decodeText(this.#values, start, each) ?? decodeLatin(this.#values, start, each);
    });
  }

  /** Where the texts of an entry end, at most so many of them. */
  *#ends({ tag, type, offset, count }: RpmEntry, most: number): Generator<number> {
    if (type < rpmTypes.string || type === rpmTypes.binary || type > rpmTypes.translated) {
      throw new BadRpm(`the tag ${tag} has no text`);
    }
    if (count > mostValues) {
      throw new BadRpm(`the tag ${tag} has ${count} values`);
    }
    let start = offset;
    for (let at = 0; at < Math.min(type === rpmTypes.string ? 1 : count, most); at++) {
      const end = start > this.#values.length ? -1 : this.#values.indexOf(0, start);
      if (end < 0) {
        throw new BadRpm(`the values of the tag ${tag} are not in the header`);
      }
      yield end;
      start = end + 1;
    }
  }

  /** No signature covers entries outside of the region, so there must be none. */
  #checkRegion(region: number, count: number): void {
    const [first] = this.#entries.values();
    if (first?.tag !== region || first.type !== rpmTypes.binary || first.count !== headerEntryBytes) {
      throw new BadRpm(`a header does not begin with its region, as those of rpm 4 and later do`);
    }
    if (first.offset + headerEntryBytes > this.#values.length) {
      throw new BadRpm("the end of a region is not in the header");
    }
    const end = readEntry(this.#values, first.offset);
    if (
      end.tag !== region ||
      end.type !== rpmTypes.binary ||
      end.count !== headerEntryBytes ||
      end.offset !== (-count * headerEntryBytes) >>> 0 ||
      first.offset + headerEntryBytes !== this.#values.length
    ) {
      throw new BadRpm("a header has entries outside of its region");
    }
  }
}

function readEntry(bytes: Buffer, at: number): RpmEntry {
  return {
    tag: bytes.readUInt32BE(at),
    type: bytes.readUInt32BE(at + 4),
    offset: bytes.readUInt32BE(at + 8),
    count: bytes.readUInt32BE(at + 12),
  };
}

const replaced = "\ufffd";

/** UTF-8; null where it is not. */
function decodeText(bytes: Buffer, from: number, to: number): string | null {
  const text = bytes.toString("utf8", from, to);
  return !text.includes(replaced) || isUtf8(bytes.subarray(from, to)) ? text : null;
}

/** Decodes text that is not UTF-8 as createrepo_c does: as Latin-1 without control characters. */
function decodeLatin(bytes: Buffer, from: number, to: number): string {
  return bytes.toString("latin1", from, to).replace(/[\x80-\xbf]/g, "");
}
