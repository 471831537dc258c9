/*
 * The records of a zip file (APPNOTE 6.3.3), little-endian: for each entry a local header and its data, and where the
 * size was not known before the data, a descriptor behind it; then the central directory with a header for each entry;
 * then the end. What does not fit into 16 or 32 bits is written as all ones there and stands in zip64's own records.
 */

const extendedTime = 0x5455;
const zip64Extra = 0x0001;
const streamedFlag = 1 << 3;
const most16 = 0xffff;
const most32 = 0xffff_ffff;

export interface ZipEntryRecord {
  /** each byte a character */
  readonly path: string;
  /** Which kind of system the attributes are of. */
  readonly creatorVersion: number;
  readonly flags: number;
  readonly method: "stored" | "deflated";
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Whether tools may change its line ends. */
  readonly isText: boolean;
  readonly attributes: number;
  /** of the local header */
  readonly offset: number;
}

export interface ZipTime {
  readonly date: number;
  readonly time: number;
  readonly seconds: number;
}

/** An instant as MS-DOS writes it, in UTC, and as seconds since 1970. */
export function zipTime(seconds: number): ZipTime {
  const instant = new Date(Math.min(seconds, 0xffff_ffff) * 1000);
  const date = instant.getUTCDate() + (instant.getUTCMonth() + 1) * 32 + (instant.getUTCFullYear() - 1980) * 512;
  const time = Math.floor(instant.getUTCSeconds() / 2) + instant.getUTCMinutes() * 32 + instant.getUTCHours() * 2048;
  return { date: date & most16, time, seconds: seconds % 2 ** 32 };
}

/** Fields with their sizes in bytes, one after the other. */
function record(...fields: (readonly [bytes: 1 | 2 | 4 | 8, value: number])[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) {
      buffer.writeBigUInt64LE(BigInt(value), at);
    } else {
      buffer.writeUIntLE(value, at, bytes);
    }
    at += bytes;
  }
  return buffer;
}

const methods = { stored: 0, deflated: 8 } as const;

function extendedTimeExtra({ seconds }: ZipTime): Buffer {
  return record([2, extendedTime], [2, 5], [1, 1], [4, seconds]);
}

export function localHeader(entry: ZipEntryRecord, time: ZipTime, isStreamed: boolean): Buffer {
  const fixed = record(
    [4, 0x04034b50],
    [2, 10],
    [2, entry.flags | (isStreamed ? streamedFlag : 0)],
    [2, methods[entry.method]],
    [2, time.time],
    [2, time.date],
    [4, entry.crc],
    [4, entry.compressedSize],
    [4, entry.size],
    [2, entry.path.length],
    [2, 9],
  );
  return Buffer.concat([fixed, Buffer.from(entry.path, "latin1"), extendedTimeExtra(time)]);
}

/** Behind the data of an entry whose local header could not say this. */
export function dataDescriptor(entry: ZipEntryRecord): Buffer {
  return record([4, 0x08074b50], [4, entry.crc], [4, entry.compressedSize], [4, entry.size]);
}

export function centralHeader(entry: ZipEntryRecord, time: ZipTime, isStreamed: boolean): Buffer {
  const isFar = entry.offset >= most32;
  const fixed = record(
    [4, 0x02014b50],
    [2, entry.creatorVersion],
    [2, isFar ? 45 : 10],
    [2, entry.flags | (isStreamed ? streamedFlag : 0)],
    [2, methods[entry.method]],
    [2, time.time],
    [2, time.date],
    [4, entry.crc],
    [4, entry.compressedSize],
    [4, entry.size],
    [2, entry.path.length],
    [2, isFar ? 21 : 9],
    [2, 0],
    [2, 0],
    [2, entry.isText ? 1 : 0],
    [4, entry.attributes],
    [4, Math.min(entry.offset, most32)],
  );
  const far = isFar ? record([2, zip64Extra], [2, 8], [8, entry.offset]) : Buffer.alloc(0);
  return Buffer.concat([fixed, Buffer.from(entry.path, "latin1"), extendedTimeExtra(time), far]);
}

/** The end: `offset` and `bytes` are those of the central directory; the comment is ASCII. */
export function zipEnd(entries: number, offset: number, bytes: number, comment: string): Buffer {
  const needsZip64 = entries >= most16 || offset >= most32 || bytes >= most32;
  const zip64 = needsZip64
    ? [
        record(
          [4, 0x06064b50],
          [8, 44],
          [2, 0x0317],
          [2, 45],
          [4, 0],
          [4, 0],
          [8, entries],
          [8, entries],
          [8, bytes],
          [8, offset],
        ),
        record([4, 0x07064b50], [4, 0], [8, offset + bytes], [4, 1]),
      ]
    : [];
  const end = record(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, Math.min(entries, most16)],
    [2, Math.min(entries, most16)],
    [4, Math.min(bytes, most32)],
    [4, Math.min(offset, most32)],
    [2, comment.length],
  );
  return Buffer.concat([...zip64, end, Buffer.from(comment, "latin1")]);
}
