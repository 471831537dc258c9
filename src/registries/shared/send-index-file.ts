import type { PackageType } from "../../db/schema/packages.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findIndexFile, type AskedGeneration, type IndexFileRow } from "../../domain/packages/index-queries.ts";
import { fileResponse } from "../../http/file-response.ts";
import { notModified } from "../../http/not-modified.ts";
import type { OpenedPackages } from "./open-packages.ts";
import { RegistryRefusal } from "./refusals.ts";

/** Which file of which index. */
export interface AskedIndexFile {
  readonly type: PackageType;
  readonly index: string;
  readonly path: string;
  readonly generation?: AskedGeneration;
}

/** Answers with a file of an index. Throws RegistryRefusal where the index has none of this path. */
export async function sendIndexFile(
  forge: Forge,
  request: Request,
  { owner, audience }: OpenedPackages,
  { type, index, path, generation = "current" }: AskedIndexFile,
  contentType: string,
): Promise<Response> {
  const name = { ownerId: owner.id, type, name: index };
  const row = await findIndexFile(forge.database.db, name, { path, audience, generation });
  return sendIndexRow(forge, request, row, contentType);
}

/**
 * Sends the file of a row. There is an ETag and no Last-Modified: an index may change within a second, and clients that
 * compare seconds would keep the old one.
 */
export async function sendIndexRow(
  forge: Forge,
  request: Request,
  row: IndexFileRow | null,
  contentType: string,
): Promise<Response> {
  if (row === null) {
    throw new RegistryRefusal(404, "There is no such file");
  }
  const sha256 = Buffer.from(row.sha256).toString("hex");
  const headers: Record<string, string> = {
    "content-type": contentType,
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
  };
  const unchanged = notModified(request, `"${sha256}"`, headers);
  if (unchanged !== null) {
    return unchanged;
  }
  const { content, size } = await forge.files.contents.get(sha256, row.bytes);
  return fileResponse(request, { content, size, contentType, etag: sha256, headers }, headers);
}
