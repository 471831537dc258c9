import type { Static } from "elysia";
import type { Release } from "./schema.ts";
import type { Attachment } from "../attachments/schema.ts";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { ArchiveDownloads } from "../../domain/git/archives/download-queries.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import type { FoundRelease } from "../../domain/repos/releases/queries.ts";
import { presentDownloads } from "../archive/present.ts";
import { presentAttachment } from "../attachments/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

/** A file of a release as the family's Attachment. */
export function presentAsset(
  addresses: Addresses,
  { owner, repository }: RepositoryAccess,
  row: AttachmentRow,
): Static<typeof Attachment> {
  return presentAttachment(row, addresses.releaseAssetApi(owner.name, repository.name, row.releaseId ?? 0, row.id));
}

/** A release as the family's Release; `assets` are its files, `downloads` those of its tag's archives. */
export function presentRelease(
  addresses: Addresses,
  access: RepositoryAccess,
  { release, author }: FoundRelease,
  assets: readonly AttachmentRow[],
  downloads: ArchiveDownloads | undefined,
  viewer: Actor | null,
): Static<typeof Release> {
  const { owner, repository } = access;
  const url = addresses.releaseApi(owner.name, repository.name, release.id);
  return {
    id: release.id,
    tag_name: release.tagName,
    target_commitish: release.target,
    name: release.title,
    body: release.body,
    url,
    html_url: addresses.release(owner.name, repository.name, release.tagName),
    tarball_url: addresses.archiveApi(owner.name, repository.name, release.tagName, "tar.gz"),
    zipball_url: addresses.archiveApi(owner.name, repository.name, release.tagName, "zip"),
    hide_archive_links: release.hideArchiveLinks,
    upload_url: `${url}/assets`,
    draft: release.draft,
    prerelease: release.prerelease,
    created_at: presentInstant(release.createdAt),
    published_at: presentInstant(release.publishedAt),
    author: author === null ? null : presentOwner(addresses, author, viewer),
    assets: assets.map((row) => presentAsset(addresses, access, row)),
    archive_download_count: presentDownloads(downloads),
  };
}
