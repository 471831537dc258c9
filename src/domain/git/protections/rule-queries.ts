import { sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import {
  branchProtection,
  branchProtectionTeam,
  branchProtectionUser,
  tagProtection,
  tagProtectionTeam,
  tagProtectionUser,
} from "../../../db/schema/protections.ts";
import { teamMember } from "../../../db/schema/owners.ts";
import { BranchRules, TagRules, type BranchRule, type TagRule } from "./branch-rules.ts";

/** The protections of a repository, as they decide about its refs. */
export interface Rules {
  readonly branches: BranchRules;
  readonly tags: TagRules;
}

/**
 * Reads a repository's protections, and which lists of theirs the user is on, themselves or with a team. `userId` null:
 * somebody who is on none, such as a deploy key. One query.
 */
export async function loadRules(db: Reader, repositoryId: number, userId: number | null): Promise<Rules> {
  const user = sql`${userId}::bigint`;
  const lists = sql`select u.list from ${branchProtectionUser} u where u.protection_id = p.id and u.user_id = ${user}
    union select t.list from ${branchProtectionTeam} t join ${teamMember} m on m.team_id = t.team_id
    where t.protection_id = p.id and m.user_id = ${user}`;
  const listed = sql`(exists (select 1 from ${tagProtectionUser} u where u.protection_id = p.id and u.user_id = ${user})
    or exists (select 1 from ${tagProtectionTeam} t join ${teamMember} m on m.team_id = t.team_id
      where t.protection_id = p.id and m.user_id = ${user}))`;
  const [row] = await db.execute<{ branches: JsonRow[] | null; tags: JsonRow[] | null }>(sql`select
    (select jsonb_agg(to_jsonb(p) || jsonb_build_object('listed', array(${lists})) order by p.priority, p.id)
      from ${branchProtection} p where p.repository_id = ${repositoryId}) as branches,
    (select jsonb_agg(jsonb_build_object('name_pattern', p.name_pattern, 'listed', ${listed}))
      from ${tagProtection} p where p.repository_id = ${repositoryId}) as tags`);
  return {
    branches: new BranchRules((row?.branches ?? []).map((rule) => camelCased(rule) as unknown as BranchRule)),
    tags: new TagRules((row?.tags ?? []).map((rule) => camelCased(rule) as unknown as TagRule)),
  };
}

type JsonRow = Record<string, unknown>;

/** Names of columns as they are here, by the database's. */
const names = new Map<string, string>();

/** A row of JSON with the names that its columns have here. */
function camelCased(row: JsonRow): JsonRow {
  const renamed: JsonRow = {};
  for (const column in row) {
    const name = names.get(column) ?? column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    names.set(column, name);
    renamed[name] = row[column];
  }
  return renamed;
}
