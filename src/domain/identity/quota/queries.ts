import { and, asc, count, eq, inArray, sql, type SQL } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { blobReference } from "../../../db/schema/blob.ts";
import { listTotal, repositorySize } from "../../../db/schema/lists.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository, wiki } from "../../../db/schema/repositories.ts";
import {
  ownerUsage,
  quotaGroup,
  quotaGroupOwner,
  quotaGroupRule,
  quotaRule,
  quotaWarning,
} from "../../../db/schema/quota.ts";
import { sumOfGuestObjects, sumOfObjects } from "../../git/lfs/object-queries.ts";
import { isWikiStore } from "../../git/wiki-stores/wiki-store.ts";
import type { QuotaGroup, QuotaRule } from "./evaluate.ts";
import { noUsage, type Bringer, type QuotaSubject, type Usage } from "./subjects.ts";

interface Slice {
  size: number;
  offset: number;
}

/** The columns of a rule beside its name. */
export type RuleColumns = Pick<QuotaRule, "limit" | "subjects">;

function ruleOf(row: typeof quotaRule.$inferSelect): QuotaRule {
  return { name: row.name, limit: row.limitBytes, subjects: row.subjects as QuotaSubject[] };
}

/** The bytes of texts in the repositories of an `owner`, by the class of the list 'text'. */
export const textsOf = (written: 0 | 1) =>
  sql<number>`(
  select coalesce(sum(t.count), 0) from ${repository} r join ${listTotal} t on t.list = 'text' and t.owner_id = r.id and t.class = ${sql.raw(String(written))}
  where r.owner_id = ${owner.id})`.mapWith(Number);

/** The bytes of an owner's repositories and files. */
export async function findUsage(db: Reader, ownerId: number): Promise<Usage> {
  const [row] = await db
    .select({ usage: ownerUsage, texts: textsOf(0), guestsTexts: textsOf(1) })
    .from(owner)
    .leftJoin(ownerUsage, eq(ownerUsage.ownerId, owner.id))
    .where(eq(owner.id, ownerId));
  if (row === undefined) {
    return noUsage;
  }
  const { usage, ...texts } = row;
  const { ownerId: _, ...counted } = usage ?? { ...noUsage, ownerId };
  return { ...counted, ...texts };
}

/** Whether a user, an organization or a repository has a picture. */
export async function hasPicture(
  db: Reader,
  { kind, id }: { kind: "avatar" | "repository-avatar"; id: number },
): Promise<boolean> {
  const isOf = and(eq(blobReference.kind, kind), eq(blobReference.subjectId, id));
  return (await db.select({ id: blobReference.subjectId }).from(blobReference).where(isOf).limit(1)).length > 0;
}

/** Notes that an owner is warned; false: they were warned already. */
export async function insertWarning(tx: Transaction, ownerId: number): Promise<boolean> {
  const rows = await tx.insert(quotaWarning).values({ ownerId }).onConflictDoNothing().returning();
  return rows.length > 0;
}

export async function deleteWarning(tx: Transaction, ownerId: number): Promise<void> {
  await tx.delete(quotaWarning).where(eq(quotaWarning.ownerId, ownerId));
}

/** Bytes of a repository or a wiki: its packs and LFS objects, those of guests apart. */
export async function findRepositoryBytes(db: Reader, storeId: number): Promise<Readonly<Record<Bringer, number>>> {
  const isWiki = isWikiStore(storeId);
  const [row] = isWiki
    ? await db.select({ bytes: wiki.gitBytes, guests: wiki.guestBytes }).from(wiki).where(eq(wiki.id, storeId))
    : await db
        .select({ bytes: repositorySize.bytes, guests: repositorySize.guestBytes })
        .from(repositorySize)
        .where(eq(repositorySize.repositoryId, storeId));
  // The objects of a wiki are counted nowhere.
  const bytes = (row?.bytes ?? 0) + (isWiki ? (await sumOfObjects(db, storeId)).bytes : 0);
  const guests = (row?.guests ?? 0) + (await sumOfGuestObjects(db, storeId));
  return { owner: bytes - guests, guests };
}

/** All rules by name; there are at most `mostRules` (edit-rules.ts). */
export async function listRules(db: Reader): Promise<QuotaRule[]> {
  return (await db.select().from(quotaRule).orderBy(asc(quotaRule.name))).map(ruleOf);
}

export async function findRule(db: Reader, name: string): Promise<(QuotaRule & { id: number }) | null> {
  const [row] = await db.select().from(quotaRule).where(eq(quotaRule.name, name));
  return row === undefined ? null : { ...ruleOf(row), id: row.id };
}

export async function countRules(db: Reader): Promise<number> {
  const [row] = await db.select({ value: count() }).from(quotaRule);
  return row?.value ?? 0;
}

/** Returns null where a rule has the name. */
export async function insertRule(
  tx: Transaction,
  { name, limit, subjects }: QuotaRule,
): Promise<(QuotaRule & { id: number }) | null> {
  const [row] = await tx
    .insert(quotaRule)
    .values({ name, limitBytes: limit, subjects: [...subjects] })
    .onConflictDoNothing()
    .returning();
  return row === undefined ? null : { ...ruleOf(row), id: row.id };
}

/** Changes what is given. Returns null where there is no such rule. */
export async function updateRule(
  tx: Transaction,
  name: string,
  { limit, subjects }: Partial<RuleColumns>,
): Promise<QuotaRule | null> {
  const [row] = await tx
    .update(quotaRule)
    .set({
      // An update has to set something.
      name,
      ...(limit === undefined ? {} : { limitBytes: limit }),
      ...(subjects === undefined ? {} : { subjects: [...subjects] }),
    })
    .where(eq(quotaRule.name, name))
    .returning();
  return row === undefined ? null : ruleOf(row);
}

export async function deleteRuleRow(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.delete(quotaRule).where(eq(quotaRule.name, name)).returning({ id: quotaRule.id })).length > 0;
}

/** Groups by name, each with its rules by name. */
async function groupsWhere(db: Reader, where: SQL | undefined): Promise<(QuotaGroup & { id: number })[]> {
  const rows = await db
    .select({ id: quotaGroup.id, name: quotaGroup.name, rule: quotaRule })
    .from(quotaGroup)
    .leftJoin(quotaGroupRule, eq(quotaGroupRule.groupId, quotaGroup.id))
    .leftJoin(quotaRule, eq(quotaRule.id, quotaGroupRule.ruleId))
    .where(where)
    .orderBy(asc(quotaGroup.name), asc(quotaRule.name));
  const groups = new Map<number, { id: number; name: string; rules: QuotaRule[] }>();
  for (const { id, name, rule } of rows) {
    const group = groups.get(id) ?? { id, name, rules: [] };
    groups.set(id, group);
    if (rule !== null) {
      group.rules.push(ruleOf(rule));
    }
  }
  return [...groups.values()];
}

export function listGroups(db: Reader): Promise<QuotaGroup[]> {
  return groupsWhere(db, undefined);
}

export async function findGroup(db: Reader, name: string): Promise<(QuotaGroup & { id: number }) | null> {
  const [group] = await groupsWhere(db, eq(quotaGroup.name, name));
  return group ?? null;
}

/** The groups that decide about an owner: those given to them, or else the default ones of these names. */
export function findGroupsOf(db: Reader, ownerId: number, defaults: readonly string[]): Promise<QuotaGroup[]> {
  const given = sql`select group_id from ${quotaGroupOwner} where owner_id = ${ownerId}`;
  return groupsWhere(
    db,
    sql`${quotaGroup.id} in (${given}) or (${quotaGroup.name} = any(${sql.param([...defaults])}::text[]) and not exists (${given}))`,
  );
}

export async function countGroups(db: Reader): Promise<number> {
  const [row] = await db.select({ value: count() }).from(quotaGroup);
  return row?.value ?? 0;
}

/** Returns null where a group has the name. */
export async function insertGroup(tx: Transaction, name: string): Promise<number | null> {
  const [row] = await tx.insert(quotaGroup).values({ name }).onConflictDoNothing().returning({ id: quotaGroup.id });
  return row?.id ?? null;
}

export async function deleteGroupRow(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.delete(quotaGroup).where(eq(quotaGroup.name, name)).returning({ id: quotaGroup.id })).length > 0;
}

/** Locks a group until the transaction ends, so that nobody deletes it or adds a rule to it meanwhile. */
export async function lockGroup(tx: Transaction, name: string): Promise<{ id: number; rules: number } | null> {
  const [row] = await tx
    .select({
      id: quotaGroup.id,
      rules: sql<number>`(select count(*)::integer from ${quotaGroupRule} where group_id = ${quotaGroup.id})`,
    })
    .from(quotaGroup)
    .where(eq(quotaGroup.name, name))
    .for("no key update");
  return row ?? null;
}

/** Returns false where the group has the rule. */
export async function insertGroupRule(tx: Transaction, groupId: number, ruleId: number): Promise<boolean> {
  const rows = await tx.insert(quotaGroupRule).values({ groupId, ruleId }).onConflictDoNothing().returning();
  return rows.length > 0;
}

/** Returns false where the group does not have the rule. */
export async function deleteGroupRule(tx: Transaction, groupId: number, ruleId: number): Promise<boolean> {
  const rows = await tx
    .delete(quotaGroupRule)
    .where(and(eq(quotaGroupRule.groupId, groupId), eq(quotaGroupRule.ruleId, ruleId)))
    .returning();
  return rows.length > 0;
}

/** Returns false where the owner has the group. */
export async function insertGroupOwner(tx: Transaction, groupId: number, ownerId: number): Promise<boolean> {
  const rows = await tx.insert(quotaGroupOwner).values({ groupId, ownerId }).onConflictDoNothing().returning();
  return rows.length > 0;
}

/** Returns false where the owner does not have the group. */
export async function deleteGroupOwner(tx: Transaction, groupId: number, ownerId: number): Promise<boolean> {
  const rows = await tx
    .delete(quotaGroupOwner)
    .where(and(eq(quotaGroupOwner.groupId, groupId), eq(quotaGroupOwner.ownerId, ownerId)))
    .returning();
  return rows.length > 0;
}

/** Gives an owner the groups of these names and no others. Returns how many there are; those that are none are left out. */
export async function replaceGroupsOf(tx: Transaction, ownerId: number, names: readonly string[]): Promise<number> {
  await tx.delete(quotaGroupOwner).where(eq(quotaGroupOwner.ownerId, ownerId));
  if (names.length === 0) {
    return 0;
  }
  const groups = await tx
    .select({ id: quotaGroup.id })
    .from(quotaGroup)
    .where(inArray(quotaGroup.name, [...names]))
    .orderBy(asc(quotaGroup.id))
    .for("key share");
  if (groups.length > 0) {
    await tx.insert(quotaGroupOwner).values(groups.map(({ id }) => ({ groupId: id, ownerId })));
  }
  return groups.length;
}

/** A page of the owners that were given a group, by name. */
export async function listGroupOwners(
  db: Reader,
  groupId: number,
  { size, offset }: Slice,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const where = eq(quotaGroupOwner.groupId, groupId);
  const [rows, [counted]] = await Promise.all([
    db
      .select({ owner })
      .from(quotaGroupOwner)
      .innerJoin(owner, eq(owner.id, quotaGroupOwner.ownerId))
      .where(where)
      .orderBy(asc(owner.lowerName))
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(quotaGroupOwner).where(where),
  ]);
  return { rows: rows.map((row) => row.owner), total: counted?.value ?? 0 };
}
