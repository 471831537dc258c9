import { and, count, desc, eq, getTableColumns, inArray, sql, type SQL } from "drizzle-orm";
import { ownerVisibleSql, type ViewerSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { limitsOf, viewerOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { owner } from "../../../db/schema/owners.ts";
import { release } from "../../../db/schema/releases.ts";
import type { NamedRelease } from "../../spine/events/names.ts";
import { viewerValues } from "../list-queries.ts";
import { viewerSql } from "../list-sql-queries.ts";

export type ReleaseRow = typeof release.$inferSelect;
export type ReleaseColumns = Omit<typeof release.$inferInsert, "id" | "repositoryId" | "createdAt">;

/** A release, and who made it, if the viewer may know of them. */
export interface FoundRelease {
  release: ReleaseRow;
  author: OwnerRow | null;
}

/** Which releases of a repository a list has. */
export interface ReleaseFilter {
  /** Drafts are shown to those who may write releases. */
  showsDrafts: boolean;
  draft?: boolean | undefined;
  prerelease?: boolean | undefined;
  /** A part of the tag or of the title, or words of the body, of which the last may be cut short; in any case. */
  search?: string | undefined;
}

const newestFirst = [desc(release.publishedAt), desc(release.id)];

function found(db: Reader, viewer: ViewerSql, condition: SQL | undefined) {
  return db
    .select({ release: getTableColumns(release), author: getTableColumns(owner) })
    .from(release)
    .leftJoin(owner, and(eq(owner.id, release.authorId), ownerVisibleSql(viewer)))
    .where(condition);
}

/** Single characters are part of most names: no index finds them. */
const leastIndexed = 2;

/**
 * The ids of a repository's releases that a text finds. Two queries, of which each has its index: an `or` of both conditions reads every
 * body of the repository.
 */
function foundBy(repositoryId: number, text: string): SQL {
  const names = sql`release_names(${release.tagName}, ${release.title})`;
  const word = sql`lower(${text}::text)`;
  const indexed = [...text].length < leastIndexed ? sql`` : sql`text_grams(${names}) @> word_grams(${word}) and`;
  const inRepository = sql`select ${release.id} from ${release} where ${release.repositoryId} = ${repositoryId}`;
  return sql`(${inRepository} and ${indexed} strpos(${names}, ${word}) > 0
    union ${inRepository} and release_words(${release.body}) @@ beginning_query(${text}::text))`;
}

function matching(repositoryId: number, { showsDrafts, draft, prerelease, search }: ReleaseFilter): SQL | undefined {
  return and(
    eq(release.repositoryId, repositoryId),
    showsDrafts ? undefined : eq(release.draft, false),
    draft === undefined ? undefined : eq(release.draft, draft),
    prerelease === undefined ? undefined : eq(release.prerelease, prerelease),
    search === undefined || search === "" ? undefined : sql`${release.id} in ${foundBy(repositoryId, search)}`,
  );
}

/** A page of a repository's releases, the newest first, and how many there are in all. */
export async function pageOfReleases(
  db: Reader,
  viewer: Viewer,
  repositoryId: number,
  filter: ReleaseFilter,
  slice: { size: number; offset: number },
): Promise<{ rows: FoundRelease[]; total: number }> {
  const condition = matching(repositoryId, filter);
  const [rows, [counted]] = await Promise.all([
    found(db, viewerOf(viewer), condition)
      .orderBy(...newestFirst)
      .limit(slice.size)
      .offset(slice.offset),
    db.select({ value: count() }).from(release).where(condition),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

const latestOf = preparedByShape((db: Reader, limits: CredentialLimits) => {
  // Written as the condition of the index.
  const condition = sql`${release.repositoryId} = ${sql.placeholder("repositoryId")} and not ${release.draft} and not ${release.prerelease}`;
  return found(db, viewerSql(limits), condition)
    .orderBy(...newestFirst)
    .limit(1)
    .prepare("latest_release");
});

/** The newest release that is neither a draft nor a prerelease; null when there is none. */
export async function findLatestRelease(
  db: Reader,
  viewer: Viewer,
  repositoryId: number,
): Promise<FoundRelease | null> {
  const [row] = await latestOf(db, limitsOf(viewer.credential)).execute({ ...viewerValues(viewer), repositoryId });
  return row ?? null;
}

/** Names a release of a repository: by its id, or by its tag. */
export type ReleaseKey = { id: number } | { tag: string };

const isKeyed = (repositoryId: number, key: ReleaseKey) =>
  and(eq(release.repositoryId, repositoryId), "id" in key ? eq(release.id, key.id) : eq(release.tagName, key.tag));

/** A release of a repository, a draft too; null when there is none. */
export async function findRelease(
  db: Reader,
  viewer: Viewer,
  repositoryId: number,
  key: ReleaseKey,
): Promise<FoundRelease | null> {
  const [row] = await found(db, viewerOf(viewer), isKeyed(repositoryId, key));
  return row ?? null;
}

/** The row of a release of a repository, a draft too; null when there is none. */
export async function findReleaseRow(db: Reader, repositoryId: number, key: ReleaseKey): Promise<ReleaseRow | null> {
  const [row] = await db.select().from(release).where(isKeyed(repositoryId, key));
  return row ?? null;
}

/** The tags of the releases that were published before each of these, by their ids; the first one has none. */
export async function findTagsBefore(
  db: Reader,
  repositoryId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const before = sql<string | null>`(select earlier.tag_name from release earlier
    where earlier.repository_id = release.repository_id and not earlier.draft
      and (earlier.published_at, earlier.id) < (release.published_at, release.id)
    order by earlier.published_at desc, earlier.id desc limit 1)`;
  const rows = await db
    .select({ id: release.id, before })
    .from(release)
    .where(and(eq(release.repositoryId, repositoryId), inArray(release.id, [...ids])));
  return new Map(rows.flatMap(({ id, before: tag }) => (tag === null ? [] : [[id, tag] as const])));
}

/** Whether the tag has a release that is no draft. */
export async function isReleased(db: Reader, repositoryId: number, tag: string): Promise<boolean> {
  return (await findReleaseRow(db, repositoryId, { tag }))?.draft === false;
}

/** Which of these tags have a release that is no draft. */
export async function findReleasedTags(
  db: Reader,
  repositoryId: number,
  tags: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .select({ tag: release.tagName })
    .from(release)
    .where(and(eq(release.repositoryId, repositoryId), inArray(release.tagName, [...tags]), eq(release.draft, false)));
  return new Set(rows.map(({ tag }) => tag));
}

export async function insertRelease(
  tx: Transaction,
  repositoryId: number,
  columns: ReleaseColumns,
): Promise<ReleaseRow> {
  const [row] = await tx
    .insert(release)
    .values({ ...columns, repositoryId })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** Writes the columns. With `publishes`, the release counts as published now. */
export async function updateRelease(
  tx: Transaction,
  id: number,
  { tagName, target, title, body, draft, prerelease, hideArchiveLinks }: ReleaseColumns,
  publishes: boolean,
): Promise<void> {
  await tx
    .update(release)
    .set({
      tagName,
      target,
      title,
      body,
      draft,
      prerelease,
      hideArchiveLinks,
      ...(publishes ? { publishedAt: sql`now()` } : {}),
    })
    .where(eq(release.id, id));
}

/** Deletes the row, and with it those of its attachments. */
export async function deleteReleaseRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(release).where(eq(release.id, id));
}

/** Makes drafts of the releases of these tags; answers those that were none. */
export async function makeDrafts(
  tx: Transaction,
  repositoryId: number,
  tags: readonly string[],
): Promise<NamedRelease[]> {
  return tx
    .update(release)
    .set({ draft: true })
    .where(
      sql`${release.repositoryId} = ${repositoryId} and ${release.tagName} = any(${sql.param([...tags])}::text[]) and not ${release.draft}`,
    )
    .returning({ id: release.id, tagName: release.tagName, title: release.title, draft: release.draft });
}
