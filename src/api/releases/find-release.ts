import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { archiveDownloadsOf } from "../../domain/git/archives/download-queries.ts";
import { attachmentsOfReleases } from "../../domain/repos/attachments/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findRelease, type FoundRelease, type ReleaseKey } from "../../domain/repos/releases/queries.ts";
import { clip } from "../../lib/show-value.ts";
import { presentRelease } from "./present.ts";

/** Whether drafts are visible with this access. */
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

/** Presents releases with their files, and how often their archives were downloaded: a query for each. */
export async function presentReleases(
  { database: { db }, addresses }: Forge,
  { actor }: Viewer,
  access: RepositoryAccess,
  rows: readonly FoundRelease[],
) {
  const releases = rows.map(({ release }) => release);
  const [assets, downloads] = await Promise.all([
    attachmentsOfReleases(
      db,
      releases.map(({ id }) => id),
    ),
    archiveDownloadsOf(
      db,
      access.repository.id,
      releases.map(({ tagName }) => tagName),
    ),
  ]);
  const byRelease = Map.groupBy(assets, ({ releaseId }) => releaseId);
  return rows.map((row) => {
    const { id, tagName } = row.release;
    return presentRelease(addresses, access, row, byRelease.get(id) ?? [], downloads.get(tagName), actor);
  });
}

export async function presentOneRelease(forge: Forge, viewer: Viewer, access: RepositoryAccess, row: FoundRelease) {
  const [presented] = await presentReleases(forge, viewer, access, [row]);
  if (presented === undefined) {
    throw new Error("A release was presented as none");
  }
  return presented;
}
