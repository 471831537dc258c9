import { eq } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { owner, team, teamMember } from "../../db/schema/owners.ts";
import { NotFound } from "../errors.ts";

export async function insertOrganization(
  tx: Transaction,
  fields: Omit<typeof owner.$inferInsert, "kind" | "lowerName" | "id">,
): Promise<number> {
  const [row] = await tx.insert(owner).values({ ...fields, kind: "organization", lowerName: fields.name.toLowerCase() }).returning({ id: owner.id });
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row.id;
}

export async function insertTeam(tx: Transaction, fields: Omit<typeof team.$inferInsert, "lowerName" | "id">): Promise<number> {
  const [row] = await tx.insert(team).values({ ...fields, lowerName: fields.name.toLowerCase() }).returning({ id: team.id });
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row.id;
}

export async function insertTeamMember(tx: Transaction, teamId: number, userId: number): Promise<void> {
  await tx.insert(teamMember).values({ teamId, userId });
}

/** The organization's row, which the caller knows to exist. */
export async function getOrganization(db: Reader, id: number): Promise<typeof owner.$inferSelect> {
  const [row] = await db.select().from(owner).where(eq(owner.id, id));
  if (row === undefined) {
    throw new NotFound("organization", String(id));
  }
  return row;
}
