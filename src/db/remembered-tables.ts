import { getTableColumns, sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { within, type Database, type Transaction } from "./client.ts";
import { preparedByShape } from "./prepared-by-shape.ts";
import { RememberedRows } from "./remembered-rows.ts";
import { label, milestone } from "./schema/issues.ts";
import { owner } from "./schema/owners.ts";
import { repository } from "./schema/repositories.ts";

const rememberedOwners = 10_000;
const rememberedRepositories = 10_000;
const rememberedLabels = 10_000;
const rememberedMilestones = 2000;

/** The version of a table's row, as RememberedRows wants it. */
export const versionOf = (table: PgTable): SQL<string> => sql<string>`${table}.xmin::text`;

function loadRows<Row extends { id: number }>(db: Database, table: PgTable & { id: PgColumn }, name: string) {
  const query = db
    .select({ version: versionOf(table), row: getTableColumns(table) })
    .from(table)
    .where(sql`${table.id} = any(${sql.placeholder("ids")}::bigint[])`)
    .prepare(name);
  return async (ids: readonly number[], tx?: Transaction) => {
    const rows = (await within(query, tx).execute({ ids: [...ids] })) as { version: string; row: Row }[];
    return rows.map(({ version, row }) => ({ id: row.id, version, row }));
  };
}

/** Rows that requests and lists need again and again, by their versions. */
export const memoryOf = preparedByShape((db: Database) => ({
  owners: new RememberedRows(loadRows<typeof owner.$inferSelect>(db, owner, "owners_by_id"), rememberedOwners),
  repositories: new RememberedRows(
    loadRows<typeof repository.$inferSelect>(db, repository, "repositories_by_id"),
    rememberedRepositories,
  ),
  labels: new RememberedRows(loadRows<typeof label.$inferSelect>(db, label, "labels_by_id"), rememberedLabels),
  milestones: new RememberedRows(
    loadRows<typeof milestone.$inferSelect>(db, milestone, "milestones_by_id"),
    rememberedMilestones,
  ),
}));
