import zlib from "node:zlib";

/** A file, a directory ("dir/") or whatever the type of tar says. */
export interface MadeEntry {
  path: string;
  content?: Uint8Array | string;
  /** Of tar: "0" a file, "5" a directory, "2" a link. */
  type?: string;
  /** What the header says where it is not the length of the content. */
  size?: number;
}

const bytesOf = (content: Uint8Array | string = ""): Buffer => Buffer.from(content as string);

/** A block of a tar archive: the header of an entry (ustar). */
export function tarHeader({ path, type = path.endsWith("/") ? "5" : "0", ...entry }: MadeEntry): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100, "utf8");
  // A directory that its owner may not enter is of no use to a client without root.
  header.write(type === "5" ? "0000755\0" : "0000644\0", 100, "latin1");
  header.write(`${(entry.size ?? bytesOf(entry.content).length).toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("14700000000\0", 136, "latin1");
  header.write(type, 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  return withChecksum(header);
}

/** The same header with the checksum that it should have. */
export function withChecksum(header: Buffer): Buffer {
  header.fill(0x20, 148, 156);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** A tar archive; what it is made of can be as wrong as a test wants. */
export function makeTar(entries: readonly MadeEntry[], end: "with end" | "without end" = "with end"): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = bytesOf(entry.content);
    return [tarHeader(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(end === "with end" ? 1024 : 0)]);
}

export function makeTarGz(entries: readonly MadeEntry[]): Buffer {
  return zlib.gzipSync(makeTar(entries));
}

interface MadeZipEntry {
  path: string;
  content?: Uint8Array | string;
  method?: "stored" | "deflated";
  /** What the directory says where that is wrong. */
  size?: number;
  crc?: number;
  flags?: number;
  /** Unix's mode with the type of the file. */
  mode?: number;
  /** Where it begins, if that is not behind the one before it. */
  at?: number;
}

/** A zip archive; what it is made of can be as wrong as a test wants. */
export function makeZip(entries: readonly MadeZipEntry[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, method = "deflated", flags = 0, mode = 0o100644, ...entry } of entries) {
    const content = bytesOf(entry.content);
    const data = method === "stored" ? content : zlib.deflateRawSync(content);
    const name = Buffer.from(path);
    // From the flags to the length of the extra field: both headers have these.
    const common = Buffer.alloc(24);
    common.writeUInt16LE(flags | 0x800, 0);
    common.writeUInt16LE(method === "stored" ? 0 : 8, 2);
    common.writeUInt16LE(0x5a21, 6);
    common.writeUInt32LE(entry.crc ?? zlib.crc32(content), 8);
    common.writeUInt32LE(data.length, 12);
    common.writeUInt32LE(entry.size ?? content.length, 16);
    common.writeUInt16LE(name.length, 20);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x0314, 4);
    central.writeUInt16LE(20, 6);
    common.copy(central, 8);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(entry.at ?? offset, 42);
    directory.push(central, name);
    if (entry.at === undefined) {
      const local = [Buffer.from("504b03041400", "hex"), common, name, data];
      pieces.push(...local);
      offset += Buffer.concat(local).length;
    }
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, central, end]);
}
