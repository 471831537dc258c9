import type { Viewer } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import type { PackageType } from "../../db/schema/packages.ts";
import { clip } from "../../lib/show-value.ts";
import { NotFound } from "../spine/errors.ts";
import { findPackage, findVersion, type FoundVersion, type PackageRow } from "./queries.ts";
import type { PackageName } from "./types.ts";

/** A package of an owner that the viewer may see. Throws NotFound. */
export async function getPackage(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  { type, name }: { readonly type: PackageType; readonly name: string },
): Promise<PackageRow> {
  const found = await findPackage(db, viewer, ownerId, type, name);
  if (found === null) {
    throw new NotFound("package", clip(`${type}/${name}`, 80));
  }
  return found;
}

/** A version of a package of an owner that the viewer may see. Throws NotFound. */
export async function getVersion(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  asked: PackageName,
): Promise<FoundVersion> {
  const found = await findVersion(db, viewer, ownerId, asked);
  if (found === null) {
    throw new NotFound("package", clip(`${asked.type}/${asked.name}/${asked.version}`, 80));
  }
  return found;
}
