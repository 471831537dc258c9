import type { Static } from "elysia";
import type { TagArchiveDownloadCount } from "../tags/schema.ts";
import type { ArchiveDownloads } from "../../domain/git/archives/download-queries.ts";

/** How often a tag's archives were downloaded as the family's TagArchiveDownloadCount. */
export function presentDownloads(downloads: ArchiveDownloads | undefined): Static<typeof TagArchiveDownloadCount> {
  return { zip: downloads?.zip ?? 0, tar_gz: downloads?.tarGz ?? 0 };
}
