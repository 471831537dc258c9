import { BadPackage } from "../shared/bad-package.ts";

/** A file in an ar archive. */
export interface ArMember {
  readonly name: string;
  readonly content: Blob;
}

const magic = "!<arch>\n";
const headerBytes = 60;
/** A package has three; a few more may stand between them. Source: deb(5). */
const mostMembers = 16;

/**
 * The files of an ar archive. Only their headers are read. Throws BadPackage for a file that is no such archive, and for one that ends too
 * early. Source: deb(5), "Format"; ar(5), the common format with short names.
 */
export async function readAr(archive: Blob): Promise<ArMember[]> {
  const read = async (from: number, length: number) =>
    Buffer.from(await archive.slice(from, from + length).arrayBuffer()).toString("latin1");
  if ((await read(0, magic.length)) !== magic) {
    throw new BadPackage("The file is no Debian package: it does not begin as an ar archive does");
  }
  const members: ArMember[] = [];
  let at = magic.length;
  while (at < archive.size) {
    const header = await read(at, headerBytes);
    // Name, time, owner, group, mode and size in fields of fixed length, with blanks after them.
    const [, name, digits] = /^(.{16}).{32}(\d{1,10}) *`\n$/s.exec(header) ?? [];
    if (name === undefined || digits === undefined) {
      throw new BadPackage(`The ar archive is damaged at byte ${at}`);
    }
    if (members.length === mostMembers) {
      throw new BadPackage(`The ar archive has more than ${mostMembers} members`);
    }
    const from = at + headerBytes;
    const end = from + Number(digits);
    if (end > archive.size) {
      throw new BadPackage("The package ends too early");
    }
    // Some programs end a name with a slash.
    members.push({ name: name.trimEnd().replace(/\/$/, ""), content: archive.slice(from, end) });
    at = end + (end % 2);
  }
  return members;
}
