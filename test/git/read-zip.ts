import zlib from "node:zlib";

/** One entry of a zip file, as its headers describe it; `content` is checked against its size and CRC-32. */
export interface ZipEntry {
  path: string;
  creatorVersion: number;
  neededVersion: number;
  flags: number;
  time: number;
  date: number;
  internal: number;
  external: number;
  extra: string;
  content: Buffer;
  deflated: boolean;
}

/** Reads a zip file by its central directory, and checks that local headers say the same. Knows zip64's end, not its sizes. */
export function readZip(zip: Buffer): { entries: ZipEntry[]; comment: string } {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const commentLength = zip.readUInt16LE(end + 20);
  const isZip64 = zip.readUInt16LE(end + 10) === 0xffff;
  const end64 = isZip64 ? Number(zip.readBigUInt64LE(end - 20 + 8)) : 0;
  const count = isZip64 ? Number(zip.readBigUInt64LE(end64 + 32)) : zip.readUInt16LE(end + 10);
  let at = isZip64 ? Number(zip.readBigUInt64LE(end64 + 48)) : zip.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  for (let number = 0; number < count; number++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) {
      throw new Error(`No central header at ${at}`);
    }
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const path = zip.toString("latin1", at + 46, at + 46 + nameLength);
    const [flags, method, crc, packed, size] = [
      zip.readUInt16LE(at + 8),
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 20),
      zip.readUInt32LE(at + 24),
    ];
    const local = zip.readUInt32LE(at + 42);
    const localName = zip.toString("latin1", local + 30, local + 30 + zip.readUInt16LE(local + 26));
    if (
      zip.readUInt32LE(local) !== 0x04034b50 ||
      localName !== path ||
      zip.readUInt16LE(local + 6) !== flags ||
      zip.readUInt16LE(local + 8) !== method
    ) {
      throw new Error(`The local header of "${path}" says something else`);
    }
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + packed);
    const content = method === 8 ? zlib.inflateRawSync(data) : data;
    const described =
      (flags & 8) === 0
        ? [zip.readUInt32LE(local + 14), zip.readUInt32LE(local + 18), zip.readUInt32LE(local + 22)]
        : [
            zip.readUInt32LE(start + packed + 4),
            zip.readUInt32LE(start + packed + 8),
            zip.readUInt32LE(start + packed + 12),
          ];
    if (content.length !== size || zlib.crc32(content) !== crc || described.join() !== [crc, packed, size].join()) {
      throw new Error(`The data of "${path}" is not what the headers say`);
    }
    entries.push({
      path,
      creatorVersion: zip.readUInt16LE(at + 4),
      neededVersion: zip.readUInt16LE(at + 6),
      flags,
      time: zip.readUInt16LE(at + 12),
      date: zip.readUInt16LE(at + 14),
      internal: zip.readUInt16LE(at + 36),
      external: zip.readUInt32LE(at + 38),
      extra: zip.toString("hex", at + 46 + nameLength, at + 46 + nameLength + extraLength),
      content,
      deflated: method === 8,
    });
    at += 46 + nameLength + extraLength + zip.readUInt16LE(at + 32);
  }
  return { entries, comment: zip.toString("latin1", end + 22, end + 22 + commentLength) };
}
