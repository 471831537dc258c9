import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { archiveDownloadsOf } from "../../domain/git/archives/download-queries.ts";
import { attachmentsOfReleases } from "../../domain/repos/attachments/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundRelease } from "../../domain/repos/releases/queries.ts";
import { presentRelease } from "./present.ts";

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
