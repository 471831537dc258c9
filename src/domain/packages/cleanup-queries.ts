import { and, asc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { owner } from "../../db/schema/owners.ts";
import { packageCleanupRule, packageVersion, registryPackage, type PackageType } from "../../db/schema/packages.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import type { CleanupRule } from "./cleanup-rules.ts";
import type { FoundVersion } from "./queries.ts";

export type CleanupRuleRow = typeof packageCleanupRule.$inferSelect;

const isOf = (ownerId: number, type: PackageType) =>
  and(eq(packageCleanupRule.ownerId, ownerId), eq(packageCleanupRule.type, type));

/** An owner's rules by type: each type has one at most. */
export async function listCleanupRules(db: Reader, ownerId: number): Promise<CleanupRuleRow[]> {
  return db
    .select()
    .from(packageCleanupRule)
    .where(eq(packageCleanupRule.ownerId, ownerId))
    .orderBy(packageCleanupRule.type);
}

export async function findCleanupRule(db: Reader, ownerId: number, type: PackageType): Promise<CleanupRuleRow | null> {
  const [row] = await db.select().from(packageCleanupRule).where(isOf(ownerId, type));
  return row ?? null;
}

/** Sets the rule of a type: it has not been followed since. */
export async function putCleanupRule(
  tx: Transaction,
  ownerId: number,
  type: PackageType,
  rule: CleanupRule,
): Promise<CleanupRuleRow> {
  const [row] = await tx
    .insert(packageCleanupRule)
    .values({ ...rule, ownerId, type })
    .onConflictDoUpdate({
      target: [packageCleanupRule.ownerId, packageCleanupRule.type],
      set: { ...rule, updatedAt: sql`now()`, followedAt: null },
    })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

/** Returns whether there was one. */
export async function deleteCleanupRuleRow(tx: Transaction, ownerId: number, type: PackageType): Promise<boolean> {
  const rows = await tx.delete(packageCleanupRule).where(isOf(ownerId, type)).returning({ id: packageCleanupRule.id });
  return rows.length > 0;
}

/** The enabled rules that were not followed since, with their owners. */
export async function listDueCleanupRules(
  db: Reader,
  since: Date,
): Promise<{ rule: CleanupRuleRow; owner: OwnerRow }[]> {
  return db
    .select({ rule: packageCleanupRule, owner })
    .from(packageCleanupRule)
    .innerJoin(owner, eq(owner.id, packageCleanupRule.ownerId))
    .where(
      and(
        packageCleanupRule.enabled,
        or(isNull(packageCleanupRule.followedAt), lt(packageCleanupRule.followedAt, since)),
      ),
    )
    .orderBy(asc(packageCleanupRule.id));
}

export async function setFollowed(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.update(packageCleanupRule).set({ followedAt: at }).where(eq(packageCleanupRule.id, id));
}

const versionsAtOnce = 1000;

/** All versions of an owner's packages of a type: package by package, and of each the newest first. */
export async function* listVersionsOfType(
  db: Reader,
  ownerId: number,
  type: PackageType,
): AsyncGenerator<FoundVersion> {
  let after: { packageId: number; id: number } | null = null;
  for (;;) {
    const rows: FoundVersion[] = await db
      .select({ package: registryPackage, version: packageVersion })
      .from(registryPackage)
      .innerJoin(packageVersion, eq(packageVersion.packageId, registryPackage.id))
      .where(
        and(
          eq(registryPackage.ownerId, ownerId),
          eq(registryPackage.type, type),
          after === null
            ? undefined
            : sql`(${registryPackage.id}, -${packageVersion.id}) > (${after.packageId}, ${-after.id})`,
        ),
      )
      .orderBy(registryPackage.id, sql`-${packageVersion.id}`)
      .limit(versionsAtOnce);
    yield* rows;
    const last = rows.length < versionsAtOnce ? undefined : rows.at(-1);
    if (last === undefined) {
      return;
    }
    after = { packageId: last.package.id, id: last.version.id };
  }
}
