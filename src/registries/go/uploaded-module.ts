import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import type { Forge } from "../../domain/spine/forge.ts";
import { largestGoMod } from "../../domain/packages/go-modules/limits.ts";
import { findFile, findPackage, findVersion, type FileRow } from "../../domain/packages/queries.ts";
import { listVersionNames } from "../../domain/packages/version-queries.ts";
import type { OpenedPackages } from "../shared/open-packages.ts";
import type { ZipPlace } from "../shared/zip.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { impliedGoMod, type ModuleSource } from "./module-source.ts";

const inflate = promisify(inflateRaw) as (bytes: Uint8Array, options: object) => Promise<Buffer<ArrayBuffer>>;

/** The metadata of the zip of a version. */
export interface ZipMetadata {
  /** Where its go.mod stands in it; null for none. */
  readonly goMod: ZipPlace | null;
}

/** The name of the file of a version. */
export const zipName = (version: string) => `${version}.zip`;

/** A module whose versions were uploaded to an owner's registry; null for none that the viewer may see. */
export async function findUploadedModule(
  forge: Forge,
  { owner, viewer }: OpenedPackages,
  module: string,
): Promise<ModuleSource | null> {
  const { db } = forge.database;
  const row = await findPackage(db, viewer, owner.id, "go", module);
  if (row === null || row.name !== module) {
    return null;
  }
  return {
    list: () => listVersionNames(db, row.id),
    async find(version) {
      const found = await findVersion(db, viewer, owner.id, { type: "go", name: module, version });
      const file = found === null ? null : await findFile(db, found.version.id, { name: zipName(version) });
      // Names are stored in any case, and are told apart by it.
      if (found === null || file === null || found.version.version !== version) {
        return null;
      }
      return {
        version,
        time: found.version.createdAt,
        goMod: () => readGoMod(forge, module, file),
        sendZip: (request) => sendPackageFile(forge, request, file, "application/zip"),
      };
    },
  };
}

async function readGoMod(forge: Forge, module: string, file: FileRow): Promise<Uint8Array<ArrayBuffer>> {
  const { goMod } = file.metadata as Partial<ZipMetadata>;
  if (goMod === undefined || goMod === null) {
    return impliedGoMod(module);
  }
  const sha256 = Buffer.from(file.sha256).toString("hex");
  const { blob } = await forge.files.contents.get(sha256, file.bytes);
  return goModIn(blob, goMod);
}

/** The go.mod that stands at this place of a zip. */
export async function goModIn(zip: Blob, goMod: ZipPlace): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await zip.slice(goMod.start, goMod.start + goMod.bytes).bytes();
  return goMod.deflated ? inflate(bytes, { maxOutputLength: largestGoMod }) : bytes;
}
