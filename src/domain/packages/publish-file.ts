import type { PackageAbout } from "../../db/schema/packages.ts";
import type { StagedBlob } from "../../blobs/blob-store.ts";
import { StithyError } from "../../lib/errors.ts";
import { publishBlob } from "../git/blobs/publish-blob.ts";
import { namedOwner, type NamedOwner } from "../spine/events/names.ts";
import type { Work } from "../spine/work.ts";
import { addStanzas, type ListedBytes } from "./add-stanzas.ts";
import { lockIndexesOf, type NewStanza } from "./index-queries.ts";
import { findLinked, insertFile, lastVersion, takePackage, takeVersion, type FileRow } from "./queries.ts";
import { checkPackageText, type PackageName } from "./types.ts";

/** The version has a file of the name. */
class FileExists extends StithyError {
  constructor(name: string) {
    super("conflict", "package-file-exists", "package file already exists", { name });
  }
}

/** A file that came to a registry. Its blob was staged with all digests, and the unit of work was opened with it. */
export interface NewFile {
  readonly name: string;
  /** Where in its registry it is; empty in formats that have no such thing. */
  readonly place?: string;
  readonly blob: StagedBlob;
  /** The metadata that the format has read out of the file. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What the package says of itself, if the format reads it. */
  readonly about?: PackageAbout;
  /** The stanzas that the file adds to indexes. The caller waits for `forge.packageIndexes.settle` after the commit. */
  readonly stanzas?: readonly NewStanza[];
  /** For formats that write a part of an index into more than one list, see addStanzas. */
  readonly listedBytes?: ListedBytes;
}

/**
 * Adds a file to a version of a package; both are made where they are not. Throws InvalidInput for a name that is none, and a
 * conflict where the version has the file.
 */
export async function publishFile(
  work: Work,
  owner: NamedOwner,
  { type, name, version }: PackageName,
  file: NewFile,
): Promise<FileRow> {
  // The paths of modules have slashes, and their format checks them.
  checkPackageText("name of a package", type === "go" ? name.replaceAll("/", "-") : name);
  checkPackageText("version", version);
  checkPackageText("name of a file", file.name);
  const { blob, place = "", metadata = {}, stanzas = [] } = file;
  await publishBlob(work.tx, blob);
  const found = await takePackage(work.tx, owner.id, type, name);
  const taken = await takeVersion(work.tx, found, { version, creatorId: work.actorId, about: file.about });
  await lockIndexesOf(work.tx, { ownerId: owner.id, type }, stanzas);
  const row = await insertFile(work.tx, taken, {
    name: file.name,
    place,
    sha256: Buffer.from(blob.sha256, "hex"),
    md5: digestOf(blob, "md5"),
    sha1: digestOf(blob, "sha1"),
    sha512: digestOf(blob, "sha512"),
    bytes: blob.bytes,
    metadata,
  });
  if (row === null) {
    throw new FileExists(file.name);
  }
  await addStanzas(work, { id: row.id, ownerId: owner.id, type }, stanzas, file.listedBytes);
  const named = { id: found.id, type, name: found.name, version: taken.version };
  if (taken.isNew) {
    const [version, repository] = [lastVersion(taken), await findLinked(work.tx, found)];
    work.tell({ kind: "package.published", owner: namedOwner(owner), package: named, version, repository });
  }
  work.tell({
    kind: "package-file.added",
    owner: namedOwner(owner),
    package: named,
    file: { id: row.id, name: row.name, bytes: row.bytes },
  });
  return row;
}

function digestOf(blob: StagedBlob, name: "md5" | "sha1" | "sha512"): Buffer {
  const hex = blob.digests[name];
  if (hex === undefined) {
    throw new Error(`A file of a package was staged without its ${name}`);
  }
  return Buffer.from(hex, "hex");
}
