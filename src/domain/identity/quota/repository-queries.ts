import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { artifact } from "../../../db/schema/artifacts.ts";
import { repositorySize } from "../../../db/schema/lists.ts";
import { packageFile, registryPackage, packageVersion } from "../../../db/schema/packages.ts";
import { attachment } from "../../../db/schema/releases.ts";

/** The bytes that a repository takes, by kind. */
export interface RepositoryUsage {
  readonly git: number;
  readonly lfs: number;
  readonly wiki: number;
  readonly attachmentsIssues: number;
  readonly attachmentsReleases: number;
  readonly artifacts: number;
  /** Of packages that are linked to it: they are the owner's, whether they are linked or not. */
  readonly packages: number;
}

const sumOf = (bytes: unknown) => sql<number>`coalesce(sum(${bytes}), 0)`.mapWith(Number);

/** Sums the bytes that a repository takes, by kind. */
export async function findRepositoryUsage(db: Reader, repositoryId: number): Promise<RepositoryUsage> {
  const [sizes, attachments, artifacts, packages] = await Promise.all([
    db
      .select({ git: repositorySize.gitBytes, lfs: repositorySize.lfsBytes, wiki: repositorySize.wikiBytes })
      .from(repositorySize)
      .where(eq(repositorySize.repositoryId, repositoryId)),
    db
      .select({
        releases:
          sql<number>`coalesce(sum(${attachment.bytes}) filter (where ${attachment.releaseId} is not null), 0)`.mapWith(
            Number,
          ),
        others:
          sql<number>`coalesce(sum(${attachment.bytes}) filter (where ${attachment.releaseId} is null), 0)`.mapWith(
            Number,
          ),
      })
      .from(attachment)
      .where(and(eq(attachment.repositoryId, repositoryId), isNotNull(attachment.sha256))),
    db
      .select({ bytes: sumOf(artifact.bytes) })
      .from(artifact)
      .where(eq(artifact.repositoryId, repositoryId)),
    db
      .select({ bytes: sumOf(packageFile.bytes) })
      .from(registryPackage)
      .innerJoin(packageVersion, eq(packageVersion.packageId, registryPackage.id))
      .innerJoin(packageFile, eq(packageFile.versionId, packageVersion.id))
      .where(eq(registryPackage.repositoryId, repositoryId)),
  ]);
  return {
    git: sizes[0]?.git ?? 0,
    lfs: sizes[0]?.lfs ?? 0,
    wiki: sizes[0]?.wiki ?? 0,
    attachmentsIssues: attachments[0]?.others ?? 0,
    attachmentsReleases: attachments[0]?.releases ?? 0,
    artifacts: artifacts[0]?.bytes ?? 0,
    packages: packages[0]?.bytes ?? 0,
  };
}
