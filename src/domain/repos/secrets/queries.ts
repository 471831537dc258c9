import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { secret, variable } from "../../../db/schema/secrets.ts";
import { holderColumns, type Holder } from "./holder.ts";

/** The public fields of a secret. */
export interface SecretRow {
  name: string;
  description: string;
  createdAt: Date;
}

export type VariableRow = typeof variable.$inferSelect;

interface Slice {
  size: number;
  offset: number;
}

function heldBy(table: typeof secret | typeof variable, holder: Holder) {
  return holder.repository === null ? eq(table.ownerId, holder.owner.id) : eq(table.repositoryId, holder.repository.id);
}

const named = (table: typeof secret | typeof variable, holder: Holder, name: string) =>
  and(heldBy(table, holder), eq(table.name, name));

/** A page of secrets by name. */
export async function listSecrets(
  db: Reader,
  holder: Holder,
  { size, offset }: Slice,
): Promise<{ rows: SecretRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db
      .select({ name: secret.name, description: secret.description, createdAt: secret.createdAt })
      .from(secret)
      .where(heldBy(secret, holder))
      .orderBy(asc(secret.name))
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(secret).where(heldBy(secret, holder)),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

/** Stores a secret in place of the one of this name, whose description stays if none is given. Returns whether there was none. */
export async function putSecret(
  tx: Transaction,
  holder: Holder,
  { name, ...columns }: { name: string; sealedValue: Uint8Array; description: string | undefined },
): Promise<boolean> {
  const [row] = await tx
    .insert(secret)
    .values({ ...holderColumns(holder), name, ...columns })
    .onConflictDoUpdate({
      target: [secret.ownerId, secret.repositoryId, secret.name],
      set: { ...columns, updatedAt: new Date() },
    })
    .returning({ isNew: sql<boolean>`xmax = 0` });
  return row?.isNew === true;
}

/** Whether there was one. */
export async function deleteSecretRow(tx: Transaction, holder: Holder, name: string): Promise<boolean> {
  return (
    (
      await tx
        .delete(secret)
        .where(named(secret, holder, name))
        .returning({ id: secret.id })
    ).length === 1
  );
}

/** A page of variables by name. */
export async function listVariables(
  db: Reader,
  holder: Holder,
  { size, offset }: Slice,
): Promise<{ rows: VariableRow[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    db.select().from(variable).where(heldBy(variable, holder)).orderBy(asc(variable.name)).limit(size).offset(offset),
    db.select({ value: count() }).from(variable).where(heldBy(variable, holder)),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

export async function findVariable(db: Reader, holder: Holder, name: string): Promise<VariableRow | null> {
  const [row] = await db
    .select()
    .from(variable)
    .where(named(variable, holder, name));
  return row ?? null;
}

/** Finds a variable like `findVariable`, and locks its row until this transaction ends. */
export async function lockVariable(tx: Transaction, holder: Holder, name: string): Promise<VariableRow | null> {
  const [row] = await tx
    .select()
    .from(variable)
    .where(named(variable, holder, name))
    .for("no key update");
  return row ?? null;
}

/** Whether it was made: false where there is one of this name. */
export async function insertVariable(
  tx: Transaction,
  holder: Holder,
  columns: { name: string; value: string; description: string | undefined },
): Promise<boolean> {
  const rows = await tx
    .insert(variable)
    .values({ ...holderColumns(holder), ...columns })
    .onConflictDoNothing()
    .returning({ id: variable.id });
  return rows.length === 1;
}

/** Writes what is given over a variable. */
export async function updateVariable(
  tx: Transaction,
  id: number,
  columns: { name: string; value: string; description: string | undefined },
): Promise<void> {
  await tx
    .update(variable)
    .set({ ...columns, updatedAt: new Date() })
    .where(eq(variable.id, id));
}

/** Whether there was one. */
export async function deleteVariableRow(tx: Transaction, holder: Holder, name: string): Promise<boolean> {
  return (
    (
      await tx
        .delete(variable)
        .where(named(variable, holder, name))
        .returning({ id: variable.id })
    ).length === 1
  );
}
