import type { Static } from "elysia";
import type { PackageCleanupRule, PackageFile } from "./schema.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CleanupRuleRow } from "../../domain/packages/cleanup-queries.ts";
import { findPackageDownloads } from "../../domain/packages/download-queries.ts";
import { findOwnersOf, type FileRow, type PackageRow, type VersionRow } from "../../domain/packages/queries.ts";
import { findAccesses } from "../../domain/repos/access-queries.ts";
import { presentRepositories } from "../repos/present-repositories.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

function some(ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

/** A version as it is shown. */
export interface ShownVersion {
  readonly package: Pick<PackageRow, "type" | "name" | "repositoryId">;
  readonly version: Pick<VersionRow, "id" | "version" | "creatorId" | "createdAt">;
}

/** Versions of an owner's packages as the family's Package, with a constant number of queries. */
export async function presentVersions(forge: Forge, viewer: Viewer, owner: OwnerRow, rows: readonly ShownVersion[]) {
  const { addresses, database } = forge;
  const [creators, accesses, downloads] = await Promise.all([
    findOwnersOf(database.db, some(rows.map(({ version }) => version.creatorId))),
    findAccesses(database.db, viewer, "packages", some(rows.map((row) => row.package.repositoryId))),
    findPackageDownloads(database.db, some(rows.map(({ version }) => version.id))),
  ]);
  const repositories = await presentRepositories(forge, [...accesses.values()], viewer);
  const byId = new Map(repositories.map((repository) => [repository.id, repository]));
  return rows.map(({ package: of, version }) => {
    const creator = version.creatorId === null ? undefined : creators.get(version.creatorId);
    return {
      id: version.id,
      owner: presentOwner(addresses, owner, viewer.actor),
      repository: of.repositoryId === null ? null : (byId.get(of.repositoryId) ?? null),
      creator: creator === undefined ? null : presentOwner(addresses, creator, viewer.actor),
      type: of.type,
      name: of.name,
      version: version.version,
      html_url: addresses.packageVersion(owner.name, of.type, of.name, version.version),
      created_at: presentInstant(version.createdAt),
      download_count: downloads.get(version.id) ?? 0,
    };
  });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function presentPackageFile(row: FileRow): Static<typeof PackageFile> {
  return {
    id: row.id,
    Size: row.bytes,
    name: row.name,
    md5: hex(row.md5),
    sha1: hex(row.sha1),
    sha256: hex(row.sha256),
    sha512: hex(row.sha512),
  };
}

export function presentCleanupRule(row: CleanupRuleRow): Static<typeof PackageCleanupRule> {
  return {
    id: row.id,
    type: row.type,
    enabled: row.enabled,
    keep_count: row.keepCount,
    keep_pattern: row.keepPattern,
    remove_days: row.removeDays,
    remove_pattern: row.removePattern,
    match_full_name: row.matchFullName,
    created_at: presentInstant(row.createdAt),
    updated_at: presentInstant(row.updatedAt),
    followed_at: presentInstant(row.followedAt),
  };
}
