import { eq } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
import { label } from "../../db/schema/issues.ts";
import { commitStatus } from "../../db/schema/statuses.ts";
import type { LabelRow } from "../issues/queries.ts";
import type { StatusRow } from "../statuses/queries.ts";

export async function findLabelRow(db: Reader, id: number): Promise<LabelRow | null> {
  const [row] = await db.select().from(label).where(eq(label.id, id));
  return row ?? null;
}

export async function findStatusRow(db: Reader, id: number): Promise<StatusRow | null> {
  const [row] = await db.select().from(commitStatus).where(eq(commitStatus.id, id));
  return row ?? null;
}
