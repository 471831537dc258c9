import { and, asc, count, desc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { ownerVisibleSql } from "../../auth/access-sql.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import { viewerOf } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { emailAddress } from "../../db/schema/credentials.ts";
import { account, owner } from "../../db/schema/owners.ts";

export const userSortKeys = ["oldest", "newest", "alphabetically", "reversealphabetically", "recentupdate", "leastupdate"] as const;
export type UserSort = (typeof userSortKeys)[number];

interface Page {
  size: number;
  offset: number;
}

/** A user with what only they and site administrators are shown. */
export interface UserWithAccount {
  owner: OwnerRow;
  account: Omit<typeof account.$inferSelect, "passwordHash" | "ownerId">;
}

const orders: Record<UserSort, readonly SQL[]> = {
  oldest: [asc(owner.createdAt), asc(owner.id)],
  newest: [desc(owner.createdAt), desc(owner.id)],
  alphabetically: [asc(owner.lowerName)],
  reversealphabetically: [desc(owner.lowerName)],
  recentupdate: [desc(owner.updatedAt), desc(owner.id)],
  leastupdate: [asc(owner.updatedAt), asc(owner.id)],
};

/** A page of all users, or of those with this name at an outside source. For site administrators. */
export async function listUsers(db: Reader, filter: { loginName?: string; none: boolean }, sort: UserSort, page: Page): Promise<{ rows: UserWithAccount[]; total: number }> {
  const { passwordHash: _hash, ownerId: _owner, ...accountColumns } = getTableColumns(account);
  const where = and(filter.none ? sql`false` : undefined, filter.loginName === undefined ? undefined : eq(account.loginName, filter.loginName));
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(account).where(where),
    db
      .select({ owner: getTableColumns(owner), account: accountColumns })
      .from(owner)
      .innerJoin(account, eq(account.ownerId, owner.id))
      .where(where)
      .orderBy(...orders[sort])
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** Which users a search finds. Every condition narrows it. */
export interface UserSearch {
  /** In the name or the full name, or the whole of an address that the viewer may see. */
  text: string;
  id?: number;
  /** The credential is for public things only. */
  publicOnly: boolean;
}

/** A page of the users that the viewer may know of, by name. */
export async function searchUsers(db: Reader, viewer: Actor | null, search: UserSearch, page: Page): Promise<{ rows: OwnerRow[]; total: number }> {
  const where = and(
    eq(owner.kind, "user"),
    ownerVisibleSql(viewerOf(viewer)),
    search.publicOnly ? eq(owner.visibility, "public") : undefined,
    search.id === undefined ? undefined : eq(owner.id, search.id),
    search.text === "" ? undefined : matches(search.text.toLowerCase(), viewer),
  );
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(owner).where(where),
    db.select().from(owner).where(where).orderBy(asc(owner.lowerName)).limit(page.size).offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

function matches(text: string, viewer: Actor | null): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
  const byName = sql`${owner.lowerName} like ${pattern} or lower(${owner.fullName}) like ${pattern}`;
  if (viewer === null || !text.includes("@")) {
    return sql`(${byName})`;
  }
  const shown = sql`(${viewer.isAdmin}::boolean or ${owner.id} = ${viewer.id}::bigint or (not ${owner.keepEmailPrivate} and ${emailAddress.primary}))`;
  return sql`(${byName} or exists (select 1 from ${emailAddress} where ${emailAddress.userId} = ${owner.id}
    and ${emailAddress.lowerEmail} = ${text} and ${emailAddress.verified} and ${shown}))`;
}
