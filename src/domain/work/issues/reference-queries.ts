import { sql, type SQL } from "drizzle-orm";
import { discussionVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** An issue or a pull request by names that somebody wrote, in any case. */
export interface IssueName {
  owner: string;
  repository: string;
  number: number;
}

/** One that there is, by the names that it has. */
export interface FoundName extends IssueName {
  isPull: boolean;
}

/** The names as rows of `wanted`, whose `place` counts from 1. */
export function namesSql(wanted: readonly IssueName[]): SQL {
  const owners = sql.param(wanted.map((one) => one.owner.toLowerCase()));
  const repositories = sql.param(wanted.map((one) => one.repository.toLowerCase()));
  const numbers = sql.param(wanted.map((one) => one.number));
  return sql`unnest(${owners}::text[], ${repositories}::text[], ${numbers}::integer[]) with ordinality as wanted(owner, repository, number, place)`;
}

/** Finds issues and pull requests by their names, in one query and in the order of these; null for what the viewer may not read. */
export async function findNamedIssues(
  db: Reader,
  viewer: Viewer,
  wanted: readonly IssueName[],
): Promise<(FoundName | null)[]> {
  const reader = viewerOf(viewer);
  const rows =
    wanted.length === 0
      ? []
      : await db.execute<{ place: string; owner: string; repository: string; number: number; is_pull: boolean }>(sql`
          select wanted.place, ${owner.name} as owner, ${repository.name} as repository, ${issue.number} as number, ${issue.isPull} as is_pull
          from ${namesSql(wanted)}
          join ${owner} on ${owner.lowerName} = wanted.owner
          join ${repository} on ${repository.ownerId} = ${owner.id} and ${repository.lowerName} = wanted.repository
          join ${issue} on ${issue.repositoryId} = ${repository.id} and ${issue.number} = wanted.number
          where ${discussionVisibleSql(reader, issue.isPull)}`);
  const found = new Map(rows.map(({ place, is_pull: isPull, ...names }) => [Number(place), { ...names, isPull }]));
  return wanted.map((_, index) => found.get(index + 1) ?? null);
}
