import { and, asc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { isPublicOnly } from "../../../auth/authorize.ts";
import { ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { owner, visibilities, type OwnerKind, type Visibility } from "../../../db/schema/owners.ts";

interface Page {
  size: number;
  offset: number;
  /** Those whose names begin with this come first; in lower case. */
  prefix?: string;
}

/** The visibilities of owners that the viewer sees without being a member; ownerVisibleSql is the same rule for one owner. */
function openVisibilities({ actor, credential }: Viewer): Visibility[] {
  const seen: readonly Visibility[] =
    actor === null ? ["public"] : actor.isAdmin ? visibilities : actor.restricted ? [] : ["public", "limited"];
  return seen.filter((visibility) => visibility === "public" || !isPublicOnly(credential));
}

function textArray(values: readonly string[]): SQL {
  return sql`${sql.param([...values])}::text[]`;
}

/** The owners that the viewer sees beside those of openVisibilities: themselves, or organizations that they are a member of. */
function grantedOwners(viewer: Viewer, kind: OwnerKind, open: readonly Visibility[]): SQL | null {
  const { actor, credential } = viewer;
  if (actor === null) {
    return null;
  }
  const mine =
    kind === "user"
      ? sql`${owner.id} = ${actor.id}`
      : sql`${owner.id} in (select team.organization_id from team_member join team on team.id = team_member.team_id where team_member.user_id = ${actor.id})`;
  return sql`from ${owner} where ${mine} and ${owner.kind} = ${kind} and not ${owner.visibility} = any(${textArray(open)})
    ${isPublicOnly(credential) ? sql`and ${owner.visibility} = 'public'` : sql``}`;
}

/**
 * A page by name of the users or organizations that the viewer may know of, and how many these are. The page is merged from
 * one index range for each visibility, and the total is a sum of counters, so neither grows with the table.
 */
export async function listVisibleOwners(
  db: Reader,
  viewer: Viewer,
  kind: OwnerKind,
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const open = openVisibilities(viewer);
  const granted = grantedOwners(viewer, kind, open);
  const columns = sql`${owner.id} as id, ${owner.lowerName} as name`;
  const branches = open.map(
    (visibility) =>
      sql`(select ${columns} from ${owner} where ${owner.kind} = ${kind} and ${owner.visibility} = ${visibility} order by ${owner.lowerName})`,
  );
  if (granted !== null) {
    branches.push(sql`(select ${columns} ${granted} order by ${owner.lowerName})`);
  }
  if (branches.length === 0) {
    return { rows: [], total: 0 };
  }
  const classes = sql`array(select owner_class(visibility) from unnest(${textArray(open)}) as visibility)`;
  const counted = sql`(select coalesce(sum(count), 0) from list_total where list = ${kind} and owner_id = 0 and class = any(${classes}))`;
  const [totals, rows] = await Promise.all([
    db.execute<{ total: string }>(
      sql`select ${counted} + ${granted === null ? sql`0` : sql`(select count(*) ${granted})`} as total`,
    ),
    db
      .select(getTableColumns(owner))
      .from(
        sql`(select id from (${sql.join(branches, sql` union all `)}) every order by name limit ${page.size} offset ${page.offset}) page`,
      )
      .innerJoin(owner, sql`${owner.id} = page.id`)
      .orderBy(asc(owner.lowerName)),
  ]);
  return { rows, total: Number(totals[0]?.total ?? 0) };
}

/** A query of the ids of owners with this text, in lower case, in their name or full name. */
export function ownersNamed(text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
  // A single character is part of most names: an index of longer parts has nothing to say about it.
  const indexed =
    [...text].length < 2
      ? sql``
      : sql`text_grams(${owner.lowerName} || E'\\n' || lower(${owner.fullName})) @> word_grams(${text}) and`;
  return sql`select ${owner.id} from ${owner} where ${indexed} (${owner.lowerName} like ${pattern} or lower(${owner.fullName}) like ${pattern})`;
}

/** A page by name of those of some owners that the viewer may know of; `found` is a subquery of ids. */
export async function listFoundOwners(
  db: Reader,
  viewer: Viewer,
  kind: OwnerKind,
  found: SQL,
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const where = and(eq(owner.kind, kind), sql`${owner.id} in ${found}`, ownerVisibleSql(viewerOf(viewer)));
  const [counted, rows] = await Promise.all([
    db
      .select({ value: sql<number>`count(*)`.mapWith(Number) })
      .from(owner)
      .where(where),
    db
      .select(getTableColumns(owner))
      .from(owner)
      .where(where)
      .orderBy(
        ...(page.prefix === undefined ? [] : [sql`starts_with(${owner.lowerName}, ${page.prefix}) desc`]),
        asc(owner.lowerName),
      )
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** How many users or organizations there are. */
export async function countOwners(db: Reader, kind: OwnerKind): Promise<number> {
  const rows = await db.execute<{ total: string }>(
    sql`select coalesce(sum(count), 0) as total from list_total where list = ${kind} and owner_id = 0`,
  );
  return Number(rows[0]?.total ?? 0);
}
