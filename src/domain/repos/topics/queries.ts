import { asc, getTableColumns, sql, type SQL } from "drizzle-orm";
import { isRestricted } from "../../../auth/authorize.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { topic } from "../../../db/schema/lists.ts";
import { classesOf, classesPerAudience, type ListClasses } from "../list-classes.ts";
import { containing, viewerValues } from "../list-queries.ts";
import { givenListings, givenSql, tokenListings } from "../list-sql-queries.ts";

/** A topic, with how many of the repositories that have it the viewer may know of. */
type FoundTopic = typeof topic.$inferSelect & { count: number };

interface Slice {
  size: number;
  offset: number;
}

/** The column that counts the repositories of all these classes; null: there is none, and the viewer sees what they were given. */
function countOf(open: readonly number[]): SQL | null {
  const has = (audience: number) => open.includes(audience * classesPerAudience);
  return has(3)
    ? sql`${topic.repositories}`
    : has(1)
      ? sql`${topic.openToUsers}`
      : has(0)
        ? sql`${topic.openToAll}`
        : null;
}

/** A subquery of `topics`: those of each repository that the viewer sees beside those that are counted. */
function givenTopics(classes: ListClasses, restricted: boolean): SQL {
  const columns = sql`l.topics`;
  return restricted ? tokenListings(classes, columns) : givenListings(classes.given, columns, sql`l.topics <> '{}'`);
}

/**
 * A page of the topics with a text in their name that repositories have which the viewer may know of: those that most of
 * these have first, then by name; and how many there are. The counters of each topic say how many repositories are open to
 * the viewer, so that only those which they were given are looked at.
 */
export async function searchTopics(
  db: Database,
  viewer: Viewer,
  text: string,
  { size, offset }: Slice,
): Promise<{ rows: FoundTopic[]; total: number }> {
  const classes = classesOf(viewer, {});
  const restricted = isRestricted(viewer.credential);
  const counted = (restricted ? null : countOf(classes.open)) ?? sql`0::integer`;
  const word = text.toLowerCase();
  const like = sql`like ${sql.placeholder("pattern")}::text`;
  // A single character is part of most names: nothing is gained by an index of them.
  const grams =
    [...word].length < 2 ? sql`` : sql`text_grams(${topic.name}) @> word_grams(${sql.placeholder("word")}::text) and `;
  const matches = word === "" ? sql`true` : sql`(${grams}${topic.name} ${like})`;
  const hasGiven = restricted || classes.given.length > 0;
  const found = sql`with ${givenSql},
    given as materialized (
      select name, count(*)::integer as count from (${hasGiven ? givenTopics(classes, restricted) : sql`select null::text[] as topics where false`}) of_repositories,
        unnest(topics) as name where ${word === "" ? sql`true` : sql`name ${like}`} group by name)`;
  const candidates = sql`(
      (select ${topic.id} as id from ${topic} where ${counted} > 0 and ${matches}
        order by ${counted} desc nulls last, ${topic.name}
        limit ${sql.placeholder("end")}::bigint + (select count(*) from given))
      union select ${topic.id} from given join ${topic} on ${topic.name} = given.name)`;
  const total = sql<string>`(select count(*) from ${topic} where ${counted} > 0 and ${matches})
      + (select count(*) from given join ${topic} on ${topic.name} = given.name where ${counted} = 0)`;
  const values = { ...viewerValues(viewer), word, pattern: containing(word), end: offset + size, size, offset };
  const [totals, rows] = await Promise.all([
    db
      .select({ total: sql<number>`total`.mapWith(Number) })
      .from(sql`(${found} select ${total} as total) counted`)
      .prepare("count_topics")
      .execute(values),
    db
      .select({ ...getTableColumns(topic), count: sql<number>`page.count` })
      .from(
        sql`(${found} select ${topic.id} as id, ${counted} + coalesce(given.count, 0) as count
          from ${candidates} candidate join ${topic} on ${topic.id} = candidate.id left join given on given.name = ${topic.name}
          order by 2 desc, ${topic.name} limit ${sql.placeholder("size")} offset ${sql.placeholder("offset")}) page`,
      )
      .innerJoin(topic, sql`${topic.id} = page.id`)
      .orderBy(sql`page.count desc`, asc(topic.name))
      .prepare("search_topics")
      .execute(values),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}
