import { eq, getTableColumns, sql } from "drizzle-orm";
import { accessColumns } from "../../auth/access-sql.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess } from "../../auth/unit-modes.ts";
import { limitsOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Database } from "../../db/client.ts";
import { repositoryCount, repositorySize } from "../../db/schema/lists.ts";
import { owner } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";
import { classesOf } from "./list-classes.ts";
import type { RepositoryFilter, RepositoryOrder } from "./list-filter.ts";
import { listSql, viewerSql, type ListShape } from "./list-sql-queries.ts";
import { countColumns } from "./queries.ts";

interface Slice {
  size: number;
  offset: number;
}

/** Any text that contains this one, for `like`. */
export function containing(word: string): string {
  return `%${word.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

/** The values of a statement's placeholders for the viewer. */
export function viewerValues({ actor, credential }: Viewer) {
  return {
    viewerId: actor?.id ?? null,
    viewerIsAdmin: actor?.isAdmin ?? false,
    viewerIsRestricted: actor?.restricted ?? false,
    tokenId: credential.kind === "token" ? credential.tokenId : null,
  };
}

/** All values that a statement is run with. */
function valuesOf(viewer: Viewer, filter: RepositoryFilter, order: RepositoryOrder): Record<string, unknown> {
  const { keywords, ...plain } = filter;
  const words = (keywords?.words ?? []).map((word) => word.toLowerCase());
  return {
    ...plain,
    ...viewerValues(viewer),
    topics: words,
    words,
    patterns: words.map(containing),
    firstOwnerId: order.firstOwnerId,
  };
}

function shapeOf(
  viewer: Viewer,
  filter: RepositoryFilter,
  order: RepositoryOrder,
  withoutFirstOwner: boolean,
): ListShape {
  const { keywords, ...plain } = filter;
  const names = Object.keys(plain) as (keyof RepositoryFilter)[];
  return {
    classes: classesOf(viewer, filter),
    given: new Set(names.filter((name) => plain[name as keyof typeof plain] !== undefined)),
    keywords:
      keywords === undefined
        ? null
        : {
            inDescription: keywords.inDescription,
            topicOnly: keywords.topicOnly,
            words: keywords.words.length,
            // A single character is part of most names: nothing is gained by an index of them.
            anyLength: keywords.words.some((word) => [...word].length < 2),
          },
    credential: viewer.credential,
    order,
    withoutFirstOwner,
  };
}

/** Filters that say which classes a list has, and stand in no condition. */
const classFilters: ReadonlySet<keyof RepositoryFilter> = new Set(["private", "template", "archived", "fork"]);

/** All lists of one key are one text of SQL. */
function keyOf({ classes, given, keywords, credential, order, withoutFirstOwner }: ListShape): string {
  const limits = credential.kind === "token" ? [credential.scopes.publicOnly, credential.scopes.restricted] : [];
  const filters = [...given].filter((name) => !classFilters.has(name)).sort();
  const ordering = [order.by, order.descending, order.firstOwnerId !== undefined, withoutFirstOwner];
  return JSON.stringify([classes, filters, keywords, limits, ordering]);
}

function prepareLists(db: Database, shape: ListShape) {
  const viewer = viewerSql(limitsOf(shape.credential));
  const { total, page, ordering } = listSql(shape);
  return {
    total: db
      .select({ value: sql<number>`total`.mapWith(Number) })
      .from(sql`(${total}) as counted`)
      .prepare("count_repositories"),
    rows: db
      .select({
        repository: getTableColumns(repository),
        owner: getTableColumns(owner),
        counts: countColumns,
        ...accessColumns(viewer),
      })
      .from(sql`${page} as page`)
      .innerJoin(repository, sql`${repository.id} = page.id`)
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
      .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
      .orderBy(ordering)
      .prepare("list_repositories"),
  };
}

/** How many shapes are remembered, so that many different queries do not fill the memory. */
const maxShapes = 200;

/** To write such a statement down takes several times as long as running it. */
const prepared = new WeakMap<Database, Map<string, ReturnType<typeof prepareLists>>>();

function listsOf(db: Database, shape: ListShape): ReturnType<typeof prepareLists> {
  const known = prepared.get(db) ?? new Map<string, ReturnType<typeof prepareLists>>();
  const key = keyOf(shape);
  const lists = known.get(key) ?? prepareLists(db, shape);
  if (known.size >= maxShapes) {
    known.clear();
  }
  prepared.set(db, known.set(key, lists));
  return lists;
}

/** A page of the repositories that the viewer may see, with the viewer's access to each, and how many there are in all. */
export async function listRepositories(
  db: Database,
  viewer: Viewer,
  filter: RepositoryFilter,
  order: RepositoryOrder,
  page: Slice,
): Promise<{ rows: RepositoryAccess[]; total: number }> {
  const count = async (narrowed: RepositoryFilter) => {
    const [row] = await listsOf(db, shapeOf(viewer, narrowed, order, false)).total.execute(
      valuesOf(viewer, narrowed, order),
    );
    return row?.value ?? 0;
  };
  const read = async (narrowed: RepositoryFilter, { size, offset }: Slice, withoutFirstOwner: boolean) => {
    if (size <= 0) {
      return [];
    }
    const lists = listsOf(db, shapeOf(viewer, narrowed, order, withoutFirstOwner));
    const rows = await lists.rows.execute({ ...valuesOf(viewer, narrowed, order), size, offset });
    return rows.map((row) => repositoryAccess(row.repository, row.owner, row.counts, row));
  };
  const { firstOwnerId } = order;
  if (firstOwnerId === undefined || filter.ownerId !== undefined) {
    const [total, rows] = await Promise.all([count(filter), read(filter, page, false)]);
    return { rows, total };
  }
  // The repositories of one owner, and then the rest: two lists, each read in its order.
  const first = { ...filter, ownerId: firstOwnerId };
  const [total, firstTotal, firstRows] = await Promise.all([count(filter), count(first), read(first, page, false)]);
  const rest = { size: page.size - firstRows.length, offset: Math.max(0, page.offset - firstTotal) };
  return { rows: [...firstRows, ...(await read(filter, rest, true))], total };
}
