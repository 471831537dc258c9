import { eq, sql, type SQL } from "drizzle-orm";
import { limitsOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { repositoryCount } from "../../../db/schema/lists.ts";
import { issue, label } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import {
  and,
  conditions,
  conditionsOf,
  homesSql,
  labelsHere,
  narrowings,
  textQuery,
  value,
  visible,
  type IssueListShape as Shape,
} from "./list-condition-queries.ts";
import { hasEach, issueOrders, type IssueFilter, type IssueOrderName, type IssuePlace } from "./list-filter.ts";
import { listMatches } from "./match-queries.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

type Narrowing = keyof typeof narrowings;

interface Slice {
  size: number;
  offset: number;
}

/** The condition of a repository's issues, or of those of a kind that the viewer may see, and the tables that it needs beside `issue`. */
function placed({ everywhere }: Shape, isPull: boolean): { joined: SQL; where: SQL } {
  return everywhere === null
    ? { joined: sql``, where: sql`issue.repository_id = ${value("repositoryId")}` }
    : {
        joined: sql`join repository on repository.id = issue.repository_id join owner on owner.id = repository.owner_id`,
        where: visible(viewerSql(everywhere.credential), everywhere, sql`${isPull}::boolean`),
      };
}

function orderOf({ order, narrowed }: Shape) {
  const { by, descending } = issueOrders[order === "relevance" && !narrowed.includes("text") ? "latest" : order];
  const key = by === "relevance" ? sql`ts_rank(issue.words, ${textQuery})` : sql.raw(`issue.${by}`);
  return { by, key, direction: sql.raw(descending ? "desc" : "asc") };
}

/** Whether an issue comes behind those of which this is not so; null: there is no such order. */
function laterOf({ order, everywhere }: Shape): SQL | null {
  if (order === "priority") {
    return sql`(issue.pin_order is null)`;
  }
  return everywhere?.first === true ? sql`(issue.repository_id <> ${value("firstId")})` : null;
}

/** The parts of a list: common table expressions, a query of its `id`, `key` and `place`, and one that counts. */
interface ListSql {
  tables: SQL;
  list: SQL;
  total: SQL;
}

/** The order of what a list's query gives. Only where there are places, or nulls, does it sort by these. */
function sortedBy(shape: Shape, alias: string): SQL {
  const { by, direction } = orderOf(shape);
  const of = (column: string) => sql.raw(`${alias}.${column}`);
  return sql.join(
    [
      ...(laterOf(shape) === null ? [] : [of("place")]),
      ...(by === "due_at" ? [sql`${of("key")} is null`] : []),
      sql`${of("key")} ${direction}`,
      sql`${of("id")} ${direction}`,
    ],
    sql`, `,
  );
}

/**
 * A list whose conditions leave few: they are found once, for the page and for the total. What the viewer may see is asked once for each
 * repository and kind among them.
 */
function narrowedSql(shape: Shape): ListSql {
  const { kinds, states, everywhere } = shape;
  const { key } = orderOf(shape);
  const [isPull] = kinds;
  const [isOpen] = states;
  const homes = everywhere === null ? null : homesSql(viewerSql(everywhere.credential), everywhere);
  const found = and([
    ...shape.narrowed.map((name) => narrowings[name](shape)),
    ...(everywhere === null ? [sql`issue.repository_id = ${value("repositoryId")}`] : []),
    ...(homes === null ? [] : [sql`issue.repository_id = any(array(${homes}))`]),
    ...(kinds.length === 1 ? [isPull === true ? sql`issue.is_pull` : sql`not issue.is_pull`] : []),
    ...(states.length === 1 ? [isOpen === true ? sql`issue.closed_at is null` : sql`issue.closed_at is not null`] : []),
    ...conditionsOf(shape),
  ]);
  const hit = sql`hit as materialized (select issue.id, issue.repository_id, issue.is_pull, ${key} as key, ${laterOf(shape) ?? sql`false`} as place
    from issue where ${found})`;
  if (everywhere === null) {
    return {
      tables: sql`with ${hit}`,
      list: sql`select hit.id, hit.key, hit.place from hit`,
      total: sql`select count(*) from hit`,
    };
  }
  return {
    tables: sql`with ${hit},
      seen as materialized (select each.* from (select distinct repository_id, is_pull from hit) each
        join repository on repository.id = each.repository_id join owner on owner.id = repository.owner_id
        where ${visible(viewerSql(everywhere.credential), everywhere, sql`each.is_pull`)}),
      kept as materialized (select hit.id, hit.key, hit.place from hit
        join seen on seen.repository_id = hit.repository_id and seen.is_pull = hit.is_pull)`,
    list: sql`select kept.id, kept.key, kept.place from kept`,
    total: sql`select count(*) from kept`,
  };
}

/** A list that an index has in its order, for each kind and state; its total is a sum of counters, where there are such. */
function plainSql(shape: Shape): ListSql {
  const { by, key, direction } = orderOf(shape);
  // Those that are due come first in both directions, so they are a list of their own.
  const parts = by === "due_at" ? [sql`issue.due_at is not null`, sql`issue.due_at is null`] : [sql`true`];
  const later = laterOf(shape);
  const places = later === null ? [sql`true`] : [sql`not ${later}`, later];
  const branches = shape.kinds.flatMap((isPull) => {
    const { joined, where } = placed(shape, isPull);
    const limit = sql`limit ${value("size")} + ${value("offset")}`;
    return shape.states.flatMap((isOpen) =>
      parts.flatMap((part) =>
        places.map((inPlace, rank) => {
          const columns = sql`issue.id as id, ${key} as key, ${sql.raw(String(rank))} as place`;
          const order = sql`order by ${key} ${direction}, issue.id ${direction} ${limit}`;
          // The state is a subquery, since the planner would rewrite a constant into what no index has.
          const here = and([
            sql`issue.is_pull = ${isPull}`,
            sql`(issue.closed_at is null) = (select ${isOpen}::boolean)`,
            part,
            inPlace,
            ...conditionsOf(shape),
          ]);
          // Of few repositories, the first ones of each: to walk all issues would take long to meet theirs.
          return shape.everywhere?.owner === true || shape.everywhere?.ofViewer === true
            ? sql`(select first.* from (select repository.id from repository join owner on owner.id = repository.owner_id where ${where}) home
                cross join lateral (select ${columns} from issue where issue.repository_id = home.id and ${here} ${order}) first
                order by first.key ${direction}, first.id ${direction} ${limit})`
            : sql`(select ${columns} from issue ${joined} where ${and([where, here])} ${order})`;
        }),
      ),
    );
  });
  const counts = shape.kinds.map((isPull) => plainCount(shape, isPull));
  return {
    tables: sql``,
    list: sql.join(branches, sql` union all `),
    total: sql`select ${sql.join(counts, sql` + `)}`,
  };
}

/** The issues of one label in a repository, by their creation: an index has all that such a list needs, and to count them reads no issue. */
function labelSql(shape: Shape): ListSql {
  const { direction } = orderOf(shape);
  const parts = shape.kinds.flatMap((isPull) =>
    shape.states.map(
      (isOpen) => sql`from issue_label where issue_label.label_id = (${value("labelIds", "bigint[]")})[1]
        and issue_label.repository_id = ${value("repositoryId")}
        and issue_label.is_pull = ${isPull} and issue_label.is_open = ${isOpen}`,
    ),
  );
  const branches = parts.map(
    (part) => sql`(select issue_label.issue_id as id, issue_label.created_at as key, 0 as place ${part}
      order by issue_label.created_at ${direction}, issue_label.issue_id ${direction} limit ${value("size")} + ${value("offset")})`,
  );
  const counts = parts.map((part) => sql`(select count(*) ${part})`);
  return {
    tables: sql``,
    list: sql.join(branches, sql` union all `),
    total: sql`select ${sql.join(counts, sql` + `)}`,
  };
}

function plainCount(shape: Shape, isPull: boolean): SQL {
  const { everywhere, states } = shape;
  const { joined, where } = placed(shape, isPull);
  if (shape.conditions.length > 0) {
    const ofState = sql.join(
      states.map((isOpen) => (isOpen ? sql`issue.closed_at is null` : sql`issue.closed_at is not null`)),
      sql` or `,
    );
    return sql`(select count(*) from issue ${joined} where ${and([where, sql`issue.is_pull = ${isPull}`, sql`(${ofState})`, ...conditionsOf(shape)])})`;
  }
  const { openPulls, openIssues, closedPulls, closedIssues } = repositoryCount;
  const [open, closed] = isPull ? [openPulls, closedPulls] : [openIssues, closedIssues];
  const counted = sql.join(
    states.map((isOpen) => sql`${isOpen ? open : closed}`),
    sql` + `,
  );
  return everywhere === null
    ? sql`(select ${counted} from repository_count where repository_count.repository_id = ${value("repositoryId")})`
    : sql`(select coalesce(sum(${counted}), 0) from repository join owner on owner.id = repository.owner_id
        join repository_count on repository_count.repository_id = repository.id where ${where})`;
}

function listSql(shape: Shape): ListSql {
  if (shape.ofLabel) {
    return labelSql(shape);
  }
  return shape.narrowed.length > 0 ? narrowedSql(shape) : plainSql(shape);
}

const listsOf = preparedByShape((db: Database, shape: Shape) => {
  const { tables, list, total } = listSql(shape);
  const count = sql`(${total})`.mapWith(Number);
  return {
    rows: db
      .select({ issue: issueColumns, total: sql<number>`page.total`.mapWith(Number) })
      .from(
        sql`(${tables} select listed.id, listed.key, listed.place, ${count} as total from (${list}) listed
          order by ${sortedBy(shape, "listed")} limit ${value("size")} offset ${value("offset")}) as page`,
      )
      .innerJoin(issue, eq(issue.id, sql`page.id`))
      .orderBy(sortedBy(shape, "page"))
      .prepare("list_issues"),
    /** For a page behind the last one. */
    total: db
      .select({ total: sql<number>`counted.total`.mapWith(Number) })
      .from(sql`(${tables} select ${count} as total) as counted`)
      .prepare("count_issues"),
  };
});

const narrowingNames = Object.keys(narrowings) as Narrowing[];
const conditionNames = Object.keys(conditions) as (keyof typeof conditions)[];

function shapeOf(place: IssuePlace, viewer: Viewer, filter: IssueFilter, order: IssueOrderName): Shape {
  const { kinds, states } = filter;
  return {
    kinds,
    states,
    order,
    narrowed: narrowingNames.filter((name) => filter[name] !== undefined),
    conditions: conditionNames.filter((name) => filter[name] !== undefined),
    ofLabel: false,
    headOfOwner: filter.head !== undefined && filter.head.ownerId !== null,
    everywhere:
      place.repositoryId === null
        ? {
            credential: limitsOf(viewer.credential),
            owner: place.ownerId !== undefined,
            ofViewer: place.ofViewer === true,
            team: place.team !== undefined,
            first: place.firstId !== undefined,
          }
        : null,
  };
}

const digits = /^\d{1,15}$/;
/** Names as they are looked for, and those of them that may be ids. */
function namesAndIds(key: string, names: readonly string[] | undefined): Record<string, unknown> {
  return {
    [key]: names?.map((name) => name.toLowerCase()),
    [`${key}AsIds`]: names?.filter((name) => digits.test(name)).map(Number),
  };
}

function valuesOf(place: IssuePlace, viewer: Viewer, filter: IssueFilter, page: Slice): Record<string, unknown> {
  const { labels, labelSets, withoutLabels, milestones, head, since, before, ...plain } = filter;
  return {
    ...plain,
    ...viewerValues(viewer),
    repositoryId: place.repositoryId,
    placeOwnerId: place.ownerId,
    ...(place.repositoryId === null ? { team: place.team, firstId: place.firstId } : {}),
    headBranch: head?.branch,
    headOwnerId: head?.ownerId,
    ...namesAndIds("labels", labels),
    idsOfSets: labelSets?.flat(),
    setsOfIds: labelSets?.flatMap((set, at) => set.map(() => at)),
    setCount: labelSets?.length,
    ...namesAndIds("withoutLabels", withoutLabels),
    ...namesAndIds("milestones", milestones),
    since: since?.toISOString(),
    before: before?.toISOString(),
    size: page.size,
    offset: page.offset,
  };
}

/** Whether nothing else than this narrows a list, besides the kind and the state. */
const isNarrowedBy = ({ narrowed, conditions: others }: Shape, name: Narrowing): boolean =>
  narrowed.length === 1 && narrowed[0] === name && others.length === 0;

const labelIdsOf = preparedByShape((db: Database) =>
  db
    .select({ id: label.id, name: sql<string>`lower(${label.name})` })
    .from(label)
    .where(sql`${label.id} in (${labelsHere("labels")})`)
    .prepare("find_named_labels"),
);

/**
 * A filter of a repository's issues with the ids of the labels that it names. Each name may stand for several: one of the repository and one of its
 * owner, or one whose id it is. Names of no label count for nothing beside others.
 */
async function withLabelIds(db: Database, place: IssuePlace, filter: IssueFilter): Promise<IssueFilter> {
  if (place.repositoryId === null || filter.labels === undefined) {
    return filter;
  }
  const { labels, ...others } = filter;
  const { repositoryId, ownerId: placeOwnerId } = place;
  const found = await labelIdsOf(db, null).execute({ repositoryId, placeOwnerId, ...namesAndIds("labels", labels) });
  const sets = [...new Set(labels.map((name) => name.toLowerCase()))].map((wanted) =>
    found.filter(({ id, name }) => name === wanted || String(id) === wanted).map(({ id }) => id),
  );
  return { ...others, ...hasEach(sets.filter((ids) => ids.length > 0)) };
}

/** Whether an index has a list in its order: the issues of one label in a repository, by their creation. */
const isOfOneLabel = (shape: Shape, { labelIds }: IssueFilter): boolean =>
  shape.everywhere === null &&
  labelIds?.length === 1 &&
  isNarrowedBy(shape, "labelIds") &&
  orderOf(shape).by === "created_at" &&
  laterOf(shape) === null;

/** A page of issues and pull requests, and how many there are in all: one query; two behind the last page and by labels; at most six by words. */
export async function listIssues(
  db: Database,
  viewer: Viewer,
  place: IssuePlace,
  asked: IssueFilter,
  order: IssueOrderName,
  page: Slice,
): Promise<{ rows: IssueRow[]; total: number }> {
  if (asked.kinds.length === 0) {
    return { rows: [], total: 0 };
  }
  const filter = await withLabelIds(db, place, asked);
  const shape = shapeOf(place, viewer, filter, order);
  const values = valuesOf(place, viewer, filter, page);
  const { text } = filter;
  const { everywhere } = shape;
  if (text !== undefined && everywhere?.first === false && order === "latest" && isNarrowedBy(shape, "text")) {
    const matches = await listMatches(db, everywhere, { ...filter, text }, values, page);
    if (matches !== null) {
      return matches;
    }
  }
  const lists = listsOf(db, isOfOneLabel(shape, filter) ? { ...shape, narrowed: [], ofLabel: true } : shape);
  const found = await lists.rows.execute(values);
  const total = found[0]?.total ?? (await lists.total.execute(values))[0]?.total ?? 0;
  return { rows: found.map((row) => row.issue), total };
}

const homesOf = preparedByShape((db: Database) =>
  db
    .select({
      repository: { id: repository.id, name: repository.name },
      owner: { id: owner.id, name: owner.name },
    })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(sql`${repository.id} = any(${value("ids", "bigint[]")})`)
    .prepare("homes_of_issues"),
);

/** The repositories of issues by their ids, with their owners' names. */
export async function findHomes(db: Database, repositoryIds: readonly number[]) {
  const ids = [...new Set(repositoryIds)];
  const rows = ids.length === 0 ? [] : await homesOf(db, null).execute({ ids });
  return new Map(rows.map((row) => [row.repository.id, row]));
}
