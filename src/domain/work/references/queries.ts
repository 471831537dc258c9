import { and, asc, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import { accessColumns, discussionVisibleSql, type ViewerSql } from "../../../auth/access-sql.ts";
import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import { repositoryAccess } from "../../../auth/unit-modes.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { repositoryCount, repositorySize } from "../../../db/schema/lists.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { block } from "../../../db/schema/social.ts";
import type { EntryColumns } from "../comments/queries.ts";
import { namesSql, type IssueName } from "../issues/reference-queries.ts";
import { countColumns } from "../../repos/queries.ts";

/** A reader of everything: for who may read a repository and is no user. */
export const whoeverReads: ViewerSql = { id: sql`null::bigint`, isAdmin: sql`true`, restricted: sql`false` };

/** An issue or a pull request that somebody may refer to. */
export interface Referable {
  issue: { id: number; number: number; title: string; isPull: boolean; authorId: number | null; lockedAt: Date | null };
  access: RepositoryAccess;
  /** Whether its author blocks the user who refers to it. */
  isKeptAway: boolean;
}

/**
 * The issues and pull requests of these names that the reader may read, with their access to each, in one query and in the order of the names;
 * null for any other.
 */
export async function findReferables(
  db: Reader,
  reader: ViewerSql,
  wanted: readonly IssueName[],
): Promise<(Referable | null)[]> {
  if (wanted.length === 0) {
    return [];
  }
  const rows = await db
    .select({
      place: sql<number>`wanted.place`.mapWith(Number),
      issue: {
        id: issue.id,
        number: issue.number,
        title: issue.title,
        isPull: issue.isPull,
        authorId: issue.authorId,
        lockedAt: issue.lockedAt,
      },
      isKeptAway: sql<boolean>`exists (select 1 from ${block} where ${block.blockerId} = ${issue.authorId} and ${block.blockedId} = ${reader.id})`,
      repository: getTableColumns(repository),
      owner: getTableColumns(owner),
      counts: countColumns,
      modes: accessColumns(reader),
    })
    .from(namesSql(wanted))
    .innerJoin(owner, sql`${owner.lowerName} = wanted.owner`)
    .innerJoin(repository, and(eq(repository.ownerId, owner.id), sql`${repository.lowerName} = wanted.repository`))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .innerJoin(issue, and(eq(issue.repositoryId, repository.id), sql`${issue.number} = wanted.number`))
    .where(discussionVisibleSql(reader, issue.isPull));
  const found = new Map(
    rows.map(({ place, issue, isKeptAway, repository, owner, counts, modes }) => [
      place,
      { issue, isKeptAway, access: repositoryAccess(repository, owner, counts, modes) },
    ]),
  );
  return wanted.map((_, index) => found.get(index + 1) ?? null);
}

type Reference = EntryColumns & { refKey: string };

/**
 * Inserts entries that refer to issues. An entry that exists already gets the new commit, which a rebase put in the
 * place of the old one, and the new action. Entries of deleted issues are left out.
 */
export async function insertReferences(tx: Transaction, references: readonly Reference[]): Promise<void> {
  if (references.length === 0) {
    return;
  }
  const ids = [...new Set(references.map((one) => one.issueId))];
  const there = await tx
    .select({ id: issue.id })
    .from(issue)
    .where(inArray(issue.id, ids))
    .orderBy(asc(issue.id))
    .for("key share");
  const known = new Set(there.map(({ id }) => id));
  const rows = references.filter((one) => known.has(one.issueId));
  if (rows.length > 0) {
    await tx
      .insert(comment)
      .values(rows)
      .onConflictDoUpdate({
        target: [comment.issueId, comment.refKey],
        targetWhere: sql`${comment.refKey} is not null`,
        set: { commitOid: sql`excluded.commit_oid`, refAction: sql`excluded.ref_action` },
      });
  }
}

/** Notes that what a reference asks for is done. False when it was done before, or there is no such entry. */
export async function takeReference(tx: Transaction, issueId: number, refKey: string): Promise<boolean> {
  const rows = await tx
    .update(comment)
    .set({ refDone: true })
    .where(and(eq(comment.issueId, issueId), eq(comment.refKey, refKey), isNull(comment.refDone)))
    .returning({ id: comment.id });
  return rows.length > 0;
}

/** Reads a text of an issue, or of one of its comments; null if it is gone. */
export async function readText(tx: Reader, issueId: number, commentId: number | null): Promise<string | null> {
  const [row] =
    commentId === null
      ? await tx
          .select({ text: sql<string>`${issue.title} || E'\\n' || ${issue.body}` })
          .from(issue)
          .where(eq(issue.id, issueId))
      : await tx.select({ text: comment.body }).from(comment).where(eq(comment.id, commentId));
  return row?.text ?? null;
}

/** The row of a repository with the names of its owner; null when it is gone. */
export async function findPushedTo(
  db: Reader,
  repositoryId: number,
): Promise<{ repository: RepositoryRow; owner: { id: number; name: string } } | null> {
  const [row] = await db
    .select({ repository: getTableColumns(repository), owner: { id: owner.id, name: owner.name } })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(eq(repository.id, repositoryId));
  return row ?? null;
}
