import { sql } from "drizzle-orm";
import type { Database } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue } from "../../../db/schema/issues.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";
import { matchesText, value, visible, type IssueListShape } from "./list-condition-queries.ts";
import type { IssueFilter } from "./list-filter.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

/**
 * Searches for words in all repositories, by remembered matches. To find a thousand matches, PostgreSQL reads a page of the table for
 * almost each of them, because the total is exact: most of what such a search takes. So the matches are kept with the number of changes
 * that there were (`issue-change` of list_total), and only used while the number is the same. Who may see them is asked each time.
 */

/** Issues that have all words, everybody's, the latest first. */
interface Matches {
  /** The number of changes that they are of. */
  version: string;
  ids: readonly number[];
  /** For each id twice the index of its place, plus one if it is open. */
  codes: readonly number[];
  /** Where they are: a repository, and whether among its pull requests. */
  places: readonly (readonly [repositoryId: number, isPull: boolean])[];
}

type Everywhere = Exclude<IssueListShape["everywhere"], null>;

/** A search with more matches keeps none. */
const mostMatches = 10_000;
const rememberedBytes = 4 << 20;

/** By the words, as they were asked for. null: there were too many. */
const memoryOf = preparedByShape((_db: Database) => new ByteCache<Matches | null>(rememberedBytes));

const version = sql<string>`(select coalesce(sum(count), 0)::text from list_total where list = 'issue-change' and owner_id = 0)`;

/** Finds the matches, and what number of changes they are of: of one snapshot. */
const findingOf = preparedByShape((db: Database) =>
  db
    .select({
      version,
      ids: sql<number[]>`found.ids`,
      codes: sql<number[]>`found.codes`,
      places: sql<[number, boolean][]>`found.places`,
    })
    .from(
      sql`(with matched as materialized (select id, repository_id, is_pull, closed_at is null as is_open, created_at
          from issue where ${matchesText} limit ${sql.raw(String(mostMatches + 1))}),
        place as materialized (select repository_id, is_pull, row_number() over () - 1 as number from matched group by 1, 2)
        select coalesce(json_agg(listed.id), '[]') as ids, coalesce(json_agg(listed.code), '[]') as codes,
          (select coalesce(json_agg(json_build_array(repository_id, is_pull) order by number), '[]') from place) as places
        from (select matched.id, place.number * 2 + matched.is_open::integer as code
          from matched join place on place.repository_id = matched.repository_id and place.is_pull = matched.is_pull
          order by matched.created_at desc, matched.id desc) listed) found`,
    )
    .prepare("find_matches"),
);

/** The indexes of those places that the viewer may see, and the number of changes: of one snapshot. */
const seenOf = preparedByShape((db: Database, everywhere: Everywhere) =>
  db
    .select({ version, seen: sql<number[]>`found.seen` })
    .from(
      sql`(select coalesce(json_agg(each.number - 1), '[]') as seen
        from unnest(${value("placeRepositoryIds", "bigint[]")}, ${value("placesArePulls", "integer[]")})
          with ordinality as each (repository_id, is_pull, number)
        join repository on repository.id = each.repository_id join owner on owner.id = repository.owner_id
        where ${visible(viewerSql(everywhere.credential), everywhere, sql`each.is_pull = 1`)}) found`,
    )
    .prepare("see_places"),
);

const rowsOf = preparedByShape((db: Database) =>
  db
    .select(issueColumns)
    .from(issue)
    .where(sql`${issue.id} = any(${value("ids", "bigint[]")})`)
    .prepare("issues_by_id"),
);

async function findMatches(db: Database, text: string): Promise<Matches | null> {
  const [found] = await findingOf(db, null).execute({ text });
  const matches = found === undefined || found.ids.length > mostMatches ? null : found;
  memoryOf(db, null).set(text, matches, matches === null ? 0 : 16 * matches.ids.length + 64 * matches.places.length);
  return matches;
}

/** Finds matches, and which of their places the viewer sees, as they are at one moment. null: there are too many, or they change all the time. */
async function lookUp(db: Database, text: string, everywhere: Everywhere, values: Record<string, unknown>) {
  let matches = memoryOf(db, null).get(text);
  for (let attempt = 0; attempt < 2; attempt++) {
    matches = matches === undefined ? await findMatches(db, text) : matches;
    if (matches === null) {
      return null;
    }
    const [now] = await seenOf(db, everywhere).execute({
      ...values,
      placeRepositoryIds: matches.places.map(([repositoryId]) => repositoryId),
      // The driver takes a list of booleans for one of them.
      placesArePulls: matches.places.map(([, isPull]) => Number(isPull)),
    });
    if (now?.version === matches.version) {
      return { matches, seen: new Set(now.seen) };
    }
    matches = undefined;
  }
  return null;
}

/**
 * A page of the issues everywhere that have all words of `filter.text` and are of its kinds and states, the latest first, and how many
 * there are in all. `values`: those that `visible` asks for. null if this list must be read from the table.
 */
export async function listMatches(
  db: Database,
  everywhere: Everywhere,
  { text, kinds, states }: IssueFilter & { text: string },
  values: Record<string, unknown>,
  page: { size: number; offset: number },
): Promise<{ rows: IssueRow[]; total: number } | null> {
  const found = await lookUp(db, text, everywhere, values);
  if (found === null) {
    return null;
  }
  const { matches, seen } = found;
  const listed = matches.places.flatMap(([, isPull], index) => [
    states.includes(false) && kinds.includes(isPull) && seen.has(index),
    states.includes(true) && kinds.includes(isPull) && seen.has(index),
  ]);
  const ids = matches.ids.filter((_, index) => listed[matches.codes[index] ?? 0]);
  const shown = ids.slice(page.offset, page.offset + page.size);
  const rows = shown.length === 0 ? [] : await rowsOf(db, null).execute({ ids: shown });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { rows: shown.flatMap((id) => byId.get(id) ?? []), total: ids.length };
}
