import { and, asc, count, desc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import type { Actor, OwnerRow } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { emailAddress } from "../../../db/schema/credentials.ts";
import { account, owner } from "../../../db/schema/owners.ts";
import { countOwners, listFoundOwners, listVisibleOwners, ownersNamed } from "../owners/list-queries.ts";

export const userSortKeys = [
  "oldest",
  "newest",
  "alphabetically",
  "reversealphabetically",
  "recentupdate",
  "leastupdate",
] as const;
export type UserSort = (typeof userSortKeys)[number];

interface Page {
  size: number;
  offset: number;
  /** Those whose names begin with this come first, in a search; in lower case. */
  prefix?: string;
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

/** What the users of a list have in common. */
export const userKinds = {
  admins: eq(account.isAdmin, true),
  suspended: eq(account.suspended, true),
  inactive: eq(account.active, false),
  restricted: eq(account.restricted, true),
} as const;

interface UserFilter {
  readonly loginName?: string;
  readonly none: boolean;
  /** A part of the name, the full name or the primary address. */
  readonly text?: string;
  readonly kind?: keyof typeof userKinds;
}

const hasText = (text: string) =>
  sql`(strpos(${owner.lowerName}, ${text}) > 0 or strpos(lower(${owner.fullName}), ${text}) > 0 or strpos(lower(${owner.email}), ${text}) > 0)`;

/** A page of all users, or of those that a filter leaves. For site administrators. */
export async function listUsers(
  db: Reader,
  filter: UserFilter,
  sort: UserSort,
  page: Page,
): Promise<{ rows: UserWithAccount[]; total: number }> {
  const { passwordHash: _hash, ownerId: _owner, ...accountColumns } = getTableColumns(account);
  const where = and(
    // The indexes of the orders begin with it.
    eq(owner.kind, "user"),
    filter.none ? sql`false` : undefined,
    filter.loginName === undefined ? undefined : eq(account.loginName, filter.loginName),
    filter.text === undefined || filter.text === "" ? undefined : hasText(filter.text.toLowerCase()),
    filter.kind === undefined ? undefined : userKinds[filter.kind],
  );
  const isFiltered = filter.none || filter.loginName !== undefined || !!filter.text || filter.kind !== undefined;
  const [counted, rows] = await Promise.all([
    isFiltered
      ? db
          .select({ value: count() })
          .from(account)
          .innerJoin(owner, eq(owner.id, account.ownerId))
          .where(where)
          .then(([row]) => row?.value ?? 0)
      : countOwners(db, "user"),
    db
      .select({ owner: getTableColumns(owner), account: accountColumns })
      .from(owner)
      .innerJoin(account, eq(account.ownerId, owner.id))
      .where(where)
      .orderBy(...orders[sort])
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted };
}

/** Which users a search finds. Every condition narrows it. */
export interface UserSearch {
  /** In the name or the full name, or the whole of an address that the viewer may see. */
  text: string;
  id?: number;
}

/** A page of the users that the viewer may know of, by name. */
export async function searchUsers(
  db: Reader,
  viewer: Viewer,
  search: UserSearch,
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  if (search.id === undefined && search.text === "") {
    return listVisibleOwners(db, viewer, "user", page);
  }
  const matching = search.text === "" ? null : matchingUsers(search.text.toLowerCase(), viewer.actor);
  const found =
    search.id === undefined
      ? (matching ?? sql`(select null::bigint)`)
      : sql`(select ${search.id}::bigint where ${matching === null ? sql`true` : sql`${search.id}::bigint in ${matching}`})`;
  return listFoundOwners(db, viewer, "user", found, page);
}

/** A subquery of the ids of users whose name, full name or address this finds. */
function matchingUsers(text: string, viewer: Actor | null): SQL {
  const byName = ownersNamed(text);
  if (viewer === null || !text.includes("@")) {
    return sql`(${byName})`;
  }
  const shown = sql`(${viewer.isAdmin}::boolean or ${owner.id} = ${viewer.id}::bigint or (not ${owner.keepEmailPrivate} and ${emailAddress.primary}))`;
  return sql`(${byName} union select ${owner.id} from ${emailAddress} join ${owner} on ${owner.id} = ${emailAddress.userId}
    where ${emailAddress.lowerEmail} = ${text} and ${emailAddress.verified} and ${shown})`;
}
