import { and, asc, count, eq, getTableColumns, inArray, isNull, or, sql } from "drizzle-orm";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue, issueLabel, label } from "../../../db/schema/issues.ts";
import type { LabelRow } from "../issues/queries.ts";

/** The holder of labels: a repository, or an organization for all of its repositories. */
export type LabelHolder = { repositoryId: number } | { ownerId: number };

/** The columns that a new or changed label is given by its use case. */
export type LabelColumns = Pick<LabelRow, "name" | "color" | "description" | "exclusive" | "archivedAt">;

interface Slice {
  size: number;
  offset: number;
}

const heldBy = (holder: LabelHolder) =>
  "repositoryId" in holder ? eq(label.repositoryId, holder.repositoryId) : eq(label.ownerId, holder.ownerId);

/** A page of labels by name. */
export async function listLabels(
  db: Reader,
  holder: LabelHolder,
  { size, offset }: Slice,
): Promise<{ rows: LabelRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db.select().from(label).where(heldBy(holder)).orderBy(asc(label.name), asc(label.id)).limit(size).offset(offset),
    db.select({ value: count() }).from(label).where(heldBy(holder)),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

const usableLabels = preparedByShape((db: Reader) =>
  db
    .select()
    .from(label)
    .where(
      and(
        or(eq(label.repositoryId, sql.placeholder("repositoryId")), eq(label.ownerId, sql.placeholder("ownerId"))),
        isNull(label.archivedAt),
      ),
    )
    .orderBy(asc(label.name), asc(label.id))
    .limit(sql.placeholder("size"))
    .offset(sql.placeholder("offset"))
    .prepare("usable_labels"),
);

/** The labels that a repository can use, by name: its own and its organization's, without archived ones. */
export async function listUsableLabels(
  db: Reader,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  { size, offset }: Slice,
): Promise<LabelRow[]> {
  return usableLabels(db, null).execute({ repositoryId: repository.id, ownerId: owner.id, size, offset });
}

/** The label of this id, if it is one of the holder's. */
export async function findLabel(db: Reader, holder: LabelHolder, id: number): Promise<LabelRow | null> {
  const [row] = await db
    .select()
    .from(label)
    .where(and(eq(label.id, id), heldBy(holder)));
  return row ?? null;
}

/** Finds a label like `findLabel`, and locks its row until this transaction ends. */
export async function lockLabel(tx: Transaction, holder: LabelHolder, id: number): Promise<LabelRow | null> {
  const [row] = await tx
    .select()
    .from(label)
    .where(and(eq(label.id, id), heldBy(holder)))
    .for("no key update");
  return row ?? null;
}

export async function insertHeldLabels(
  tx: Transaction,
  holder: LabelHolder,
  labels: readonly LabelColumns[],
): Promise<LabelRow[]> {
  return labels.length === 0
    ? []
    : tx
        .insert(label)
        .values(labels.map((columns) => ({ ...columns, ...holder })))
        .returning();
}

export async function updateLabel(tx: Transaction, id: number, columns: Partial<LabelColumns>): Promise<LabelRow> {
  const [row] = await tx.update(label).set(columns).where(eq(label.id, id)).returning();
  if (row === undefined) {
    throw new Error("A locked label was gone");
  }
  return row;
}

/** Deletes a label, and takes it from every issue. Returns its row; null when there was none. */
export async function deleteLabelRow(tx: Transaction, holder: LabelHolder, id: number): Promise<LabelRow | null> {
  const [row] = await tx
    .delete(label)
    .where(and(eq(label.id, id), heldBy(holder)))
    .returning();
  return row ?? null;
}

/** The labels of an issue, by name. */
export async function listLabelsOf(db: Reader, issueId: number): Promise<LabelRow[]> {
  return db
    .select(getTableColumns(label))
    .from(issueLabel)
    .innerJoin(label, eq(label.id, issueLabel.labelId))
    .where(eq(issueLabel.issueId, issueId))
    .orderBy(asc(label.name), asc(label.id));
}

export async function removeLabels(tx: Transaction, issueId: number, labelIds: readonly number[]): Promise<void> {
  if (labelIds.length > 0) {
    await tx.delete(issueLabel).where(and(eq(issueLabel.issueId, issueId), inArray(issueLabel.labelId, [...labelIds])));
  }
}

/**
 * The ids of the labels of these names that a repository can use. Of several with one name: its own before its
 * organization's, then the oldest.
 */
export async function findLabelIds(
  db: Reader,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectDistinctOn([label.name], { id: label.id, name: label.name })
    .from(label)
    .where(
      and(
        inArray(label.name, [...new Set(names)]),
        or(eq(label.repositoryId, repository.id), eq(label.ownerId, owner.id)),
      ),
    )
    .orderBy(asc(label.name), sql`${label.repositoryId} asc nulls last`, asc(label.id));
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Takes the labels of an owner from all issues of a repository. */
export async function removeLabelsOfOwner(tx: Transaction, repositoryId: number, ownerId: number): Promise<void> {
  await tx.delete(issueLabel).where(
    sql`${issueLabel.labelId} in (select ${label.id} from ${label} where ${label.ownerId} = ${ownerId})
      and ${issueLabel.issueId} in (select ${issue.id} from ${issue} where ${issue.repositoryId} = ${repositoryId})`,
  );
}
