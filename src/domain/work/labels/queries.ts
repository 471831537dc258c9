import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, or, sql, type SQL } from "drizzle-orm";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { unitVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue, issueLabel, label } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { homesOfViewer } from "../issues/list-condition-queries.ts";
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

/** How many issues and pull requests have `label`: those that are open, and all. */
const labelled = (open: SQL) =>
  sql<number>`(select count(*) from ${issueLabel} where ${issueLabel.labelId} = ${label.id} and ${open})`.mapWith(
    Number,
  );
const openOnes = labelled(sql`${issueLabel.isOpen}`);
const all = labelled(sql`true`);

const labelOrders = {
  name: asc(label.name),
  "name-last": desc(label.name),
  most: desc(all),
  fewest: asc(all),
} as const;
export type LabelOrder = keyof typeof labelOrders;

/** Which labels of a holder; what is left out narrows nothing. */
interface LabelSearch {
  /** A part of the name or the description. */
  text?: string;
  order?: LabelOrder;
}

/** A page of labels, by name if no order is given. */
export async function listLabels(
  db: Reader,
  holder: LabelHolder,
  { size, offset }: Slice,
  { text = "", order = "name" }: LabelSearch = {},
): Promise<{ rows: LabelRow[]; total: number }> {
  const where = and(
    heldBy(holder),
    text === "" ? undefined : sql`strpos(lower(${label.name} || ' ' || ${label.description}), lower(${text})) > 0`,
  );
  const [rows, [counted]] = await Promise.all([
    db.select().from(label).where(where).orderBy(labelOrders[order], asc(label.id)).limit(size).offset(offset),
    db.select({ value: count() }).from(label).where(where),
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
        sql`strpos(lower(${label.name}), lower(${sql.placeholder("text")}::text)) > 0`,
      ),
    )
    .orderBy(asc(label.name), asc(label.id))
    .limit(sql.placeholder("size"))
    .offset(sql.placeholder("offset"))
    .prepare("usable_labels"),
);

/** How many open and closed issues and pull requests have each of these labels, by their ids. */
export async function countLabelled(
  db: Reader,
  ids: readonly number[],
): Promise<Map<number, { open: number; all: number }>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .select({ id: label.id, open: openOnes, all })
          .from(label)
          .where(inArray(label.id, [...ids]));
  return new Map(rows.map(({ id, ...counted }) => [id, counted]));
}

/** The labels that a repository can use, by name: its own and its organization's, without archived ones; `text`: a part of the name. */
export async function listUsableLabels(
  db: Reader,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  { size, offset }: Slice,
  text = "",
): Promise<LabelRow[]> {
  const { repository: home, owner: holder } = access;
  return usableLabels(db, null).execute({ repositoryId: home.id, ownerId: holder.id, text, size, offset });
}

/**
 * The names of labels in repositories of an owner, or in those that the viewer owns or was given, as far as they see them; those that most
 * repositories have come first. `text`: a part of the name.
 */
export async function listLabelNames(
  db: Reader,
  viewer: Viewer,
  { ownerId }: { ownerId: number | null },
  text: string,
  size: number,
): Promise<Pick<LabelRow, "name" | "color">[]> {
  const viewing = viewerOf(viewer);
  const ofOwner =
    ownerId === null
      ? sql`${label.ownerId} in (select team.organization_id from team_member join team on team.id = team_member.team_id where team_member.user_id = ${viewing.id})`
      : eq(label.ownerId, ownerId);
  const homes =
    ownerId === null ? homesOfViewer(viewing) : sql`select id from ${repository} where owner_id = ${ownerId}`;
  return db
    .select({ name: label.name, color: sql<string>`min(${label.color})` })
    .from(label)
    .leftJoin(repository, eq(repository.id, label.repositoryId))
    .innerJoin(owner, sql`${owner.id} = coalesce(${repository.ownerId}, ${label.ownerId})`)
    .where(
      and(
        isNull(label.archivedAt),
        text === "" ? undefined : sql`strpos(lower(${label.name}), lower(${text})) > 0`,
        or(
          ofOwner,
          and(
            sql`${label.repositoryId} = any(array(${homes}))`,
            or(unitVisibleSql(viewing, "issues"), unitVisibleSql(viewing, "pulls")),
          ),
        ),
      ),
    )
    .groupBy(label.name)
    .orderBy(desc(count()), asc(label.name))
    .limit(size);
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

/** Those of these names, in lower case, that labels of the holder have. */
export async function findHeldNames(
  db: Reader,
  holder: LabelHolder,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const lowerName = sql<string>`lower(${label.name})`;
  const rows = await db
    .select({ name: lowerName })
    .from(label)
    .where(and(heldBy(holder), inArray(lowerName, [...names])));
  return new Set(rows.map(({ name }) => name));
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
  access: Pick<RepositoryAccess, "repository" | "owner">,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectDistinctOn([label.name], { id: label.id, name: label.name })
    .from(label)
    .where(
      and(
        inArray(label.name, [...new Set(names)]),
        or(eq(label.repositoryId, access.repository.id), eq(label.ownerId, access.owner.id)),
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
