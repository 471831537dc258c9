import { and, count, desc, eq, inArray, or, sql, type SQL } from "drizzle-orm";
import { repositoryShownSql, type ViewerSql } from "../../../auth/access-sql.ts";
import { viewerIn, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { artifact } from "../../../db/schema/artifacts.ts";
import { blobReference } from "../../../db/schema/blob.ts";
import { owner } from "../../../db/schema/owners.ts";
import { issue } from "../../../db/schema/issues.ts";
import { attachment, release } from "../../../db/schema/releases.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** A file that counts for the owner of its repository, with what it is attached to. */
export interface UsedAttachment {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly repository: string;
  readonly release: { readonly id: number; readonly tagName: string } | null;
  /** Also that of the comment, where it is attached to one. */
  readonly issue: { readonly number: number; readonly isPull: boolean } | null;
  readonly commentId: number | null;
}

/** Whether the viewer's credential shows the repository that this refers to; undefined: it shows all. */
function isShown(viewer: ViewerSql, repositoryId: SQL): SQL | undefined {
  const shown = repositoryShownSql(viewer);
  return (
    shown &&
    sql`exists (select 1 from ${repository} join ${owner} on ${owner.id} = ${repository.ownerId}
      where ${repository.id} = ${repositoryId} and ${shown})`
  );
}

/** The repository of the attachment that a reference is of. */
const ofAttachment = sql`(select ${attachment.repositoryId} from ${attachment} where ${attachment.id} = ${blobReference.subjectId})`;

/**
 * A page of the files attached to releases, issues and comments in an owner's repositories, the largest first: of those that the
 * credential of the owner, or of one who manages it, shows.
 */
export async function listUsedAttachments(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: UsedAttachment[]; total: number }> {
  const where = and(
    eq(blobReference.ownerId, ownerId),
    inArray(blobReference.kind, ["release-attachment", "issue-attachment"]),
    or(
      and(eq(blobReference.kind, "release-attachment"), isShown(viewerIn(viewer, "repository"), ofAttachment)),
      and(eq(blobReference.kind, "issue-attachment"), isShown(viewerIn(viewer, "issue"), ofAttachment)),
    ),
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select({
        id: attachment.id,
        name: attachment.name,
        bytes: attachment.bytes,
        repository: repository.name,
        release: { id: release.id, tagName: release.tagName },
        issue: { number: issue.number, isPull: issue.isPull },
        commentId: attachment.commentId,
      })
      .from(blobReference)
      .innerJoin(attachment, eq(attachment.id, blobReference.subjectId))
      .innerJoin(repository, eq(repository.id, attachment.repositoryId))
      .leftJoin(release, eq(release.id, attachment.releaseId))
      .leftJoin(issue, eq(issue.id, attachment.issueId))
      .where(where)
      .orderBy(desc(blobReference.bytes), blobReference.subjectId)
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(blobReference).where(where),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

/** An artifact that counts for the owner of its repository. */
export interface UsedArtifact {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly repository: string;
}

/** A page of the artifacts of an owner's repositories that the credential shows, the largest first. */
export async function listUsedArtifacts(
  db: Reader,
  viewer: Viewer,
  ownerId: number,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: UsedArtifact[]; total: number }> {
  const where = and(
    eq(blobReference.ownerId, ownerId),
    eq(blobReference.kind, "artifact"),
    isShown(
      viewerIn(viewer, "repository"),
      sql`(select ${artifact.repositoryId} from ${artifact} where ${artifact.id} = ${blobReference.subjectId})`,
    ),
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select({ id: artifact.id, name: artifact.name, bytes: artifact.bytes, repository: repository.name })
      .from(blobReference)
      .innerJoin(artifact, eq(artifact.id, blobReference.subjectId))
      .innerJoin(repository, eq(repository.id, artifact.repositoryId))
      .where(where)
      .orderBy(desc(blobReference.bytes), blobReference.subjectId)
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(blobReference).where(where),
  ]);
  return { rows, total: counted?.value ?? 0 };
}
