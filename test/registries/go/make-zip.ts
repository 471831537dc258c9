import zlib from "node:zlib";
import {
  centralHeader,
  localHeader,
  zipEnd,
  zipTime,
  type ZipEntryRecord,
} from "../../../src/git/archive/zip-records.ts";

/** A zip file of these paths and contents; `change` makes headers say something else than what is there. */
export function makeZip(
  files: readonly (readonly [path: string, content: string | Uint8Array])[],
  change: (record: ZipEntryRecord) => Partial<ZipEntryRecord> = () => ({}),
): Buffer<ArrayBuffer> {
  const time = zipTime(1_700_000_000);
  const pieces: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const bytes = Buffer.from(content);
    const data = zlib.deflateRawSync(bytes);
    const record: ZipEntryRecord = {
      path: Buffer.from(path).toString("latin1"),
      creatorVersion: 0,
      flags: 0,
      method: "deflated",
      crc: zlib.crc32(bytes),
      compressedSize: data.length,
      size: bytes.length,
      isText: false,
      attributes: 0,
      offset,
    };
    const told = { ...record, ...change(record) };
    const header = localHeader(told, time, false);
    pieces.push(header, data);
    central.push(centralHeader(told, time, false));
    offset += header.length + data.length;
  }
  const directory = Buffer.concat(central);
  return Buffer.concat([...pieces, directory, zipEnd(files.length, offset, directory.length, "")]);
}

/** The zip of a module's version: the paths are those in the module. */
export function moduleZip(name: string, files: Readonly<Record<string, string>>): Buffer<ArrayBuffer> {
  return makeZip(Object.entries(files).map(([path, content]) => [`${name}/${path}`, content]));
}
