import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { attachmentsOfReleases } from "../../domain/attachments/queries.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Forge } from "../../domain/forge.ts";
import { findRelease, type FoundRelease, type ReleaseKey } from "../../domain/releases/queries.ts";
import { clip } from "../../lib/show-value.ts";
import { presentRelease } from "./present.ts";

/** Whether drafts are shown to whoever has this access. */
export function seesDrafts({ units }: RepositoryAccess): boolean {
  return units.releases >= accessModes.write;
}

/** Returns a release that the viewer may see. Throws NotFound. */
export async function getRelease(
  { database }: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  key: ReleaseKey,
): Promise<FoundRelease> {
  const found = await findRelease(database.db, viewer, access.repository.id, key);
  if (found === null || (found.release.draft && !seesDrafts(access))) {
    throw new NotFound("release", "id" in key ? String(key.id) : clip(key.tag, 80));
  }
  return found;
}

/** Presents releases with their files, which one query finds. */
export async function presentReleases(
  { database, addresses }: Forge,
  { actor }: Viewer,
  access: RepositoryAccess,
  rows: readonly FoundRelease[],
) {
  const assets = await attachmentsOfReleases(
    database.db,
    rows.map(({ release }) => release.id),
  );
  const byRelease = Map.groupBy(assets, ({ releaseId }) => releaseId);
  return rows.map((row) => presentRelease(addresses, access, row, byRelease.get(row.release.id) ?? [], actor));
}

export async function presentOneRelease(forge: Forge, viewer: Viewer, access: RepositoryAccess, row: FoundRelease) {
  const assets = await attachmentsOfReleases(forge.database.db, [row.release.id]);
  return presentRelease(forge.addresses, access, row, assets, viewer.actor);
}
