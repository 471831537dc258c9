import { sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { label } from "../../db/schema/issues.ts";
import type { LabelTemplate } from "./label-templates.ts";

/** Gives a new repository these labels. */
export async function insertFirstLabels(
  tx: Transaction,
  repositoryId: number,
  labels: readonly LabelTemplate[],
): Promise<void> {
  if (labels.length > 0) {
    await tx.insert(label).values(
      labels.map(({ name, color, description, exclusive }) => ({
        repositoryId,
        name,
        color,
        description,
        exclusive,
      })),
    );
  }
}

/** Gives a new repository the labels that another one has of its own. */
export async function copyLabels(tx: Transaction, fromId: number, toId: number): Promise<void> {
  const { name, color, description, exclusive, archivedAt } = label;
  await tx.execute(sql`insert into ${label} (repository_id, name, color, description, exclusive, archived_at)
    select ${toId}::bigint, ${name}, ${color}, ${description}, ${exclusive}, ${archivedAt}
    from ${label} where ${label.repositoryId} = ${fromId} order by ${label.id}`);
}
