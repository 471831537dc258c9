import { asc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { ownerShownSql } from "../../../auth/access-sql.ts";
import type { OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes, account, owner, team, teamMember } from "../../../db/schema/owners.ts";
import { collaborator, teamRepository } from "../../../db/schema/repositories.ts";
import { block } from "../../../db/schema/social.ts";

/** Where somebody's access to a repository comes from. */
export type AccessSource =
  | { readonly from: "owner" }
  | { readonly from: "collaborator"; readonly mode: number; readonly forTransfer: boolean }
  | { readonly from: "team"; readonly team: string; readonly teamId: number; readonly mode: number };

/** Somebody who was given access to a repository, and from where. */
export interface Standing {
  readonly user: OwnerRow;
  /** Keeps them away, so that they have what everybody has. */
  readonly blocked: boolean;
  /** They can sign in. */
  readonly active: boolean;
  readonly sources: readonly AccessSource[];
}

/** Each way in which a user was given access to a repository: `user_id`, and `source` as JSON. */
function sourcesSql({ repository, owner: holder }: Pick<RepositoryAccess, "repository" | "owner">): SQL {
  return sql`(select ${holder.id}::bigint as user_id, jsonb_build_object('from', 'owner') as source where ${holder.kind}::text = 'user'
    union all select ${collaborator.userId}, jsonb_build_object('from', 'collaborator', 'mode', ${collaborator.mode}, 'forTransfer', ${collaborator.forTransfer})
      from ${collaborator} where ${collaborator.repositoryId} = ${repository.id}
    union all select ${teamMember.userId}, jsonb_build_object('from', 'team', 'team', ${team.name}, 'teamId', ${team.id}, 'mode', ${team.mode})
      from ${team} join ${teamMember} on ${teamMember.teamId} = ${team.id}
      where ${team.organizationId} = ${holder.id} and (${team.mode} = ${sql.raw(String(accessModes.owner))} or ${team.includesAllRepositories}
        or exists (select 1 from ${teamRepository} where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id})))`;
}

/**
 * A page by name of the users who were given access to a repository, each with all the ways in which they were, and how many they are. For its
 * administrators.
 */
export async function listStandings(
  db: Reader,
  viewer: Viewer,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  page: { size: number; offset: number },
): Promise<{ rows: Standing[]; total: number }> {
  const sources = sourcesSql(access);
  const given = sql`(select one.user_id, jsonb_agg(one.source) as sources from ${sources} one group by one.user_id)`;
  const shown = ownerShownSql(viewerOf(viewer));
  const [rows, counted] = await Promise.all([
    db
      .select({
        user: getTableColumns(owner),
        blocked: sql<boolean>`exists (select 1 from ${block} where ${block.blockerId} = ${access.owner.id} and ${block.blockedId} = ${owner.id})`,
        active: sql<boolean>`(${account.active} and not ${account.suspended})`,
        sources: sql<AccessSource[]>`given.sources`,
      })
      .from(sql`${given} given`)
      .innerJoin(owner, sql`${owner.id} = given.user_id`)
      .innerJoin(account, eq(account.ownerId, owner.id))
      .where(shown)
      .orderBy(asc(owner.lowerName))
      .limit(page.size)
      .offset(page.offset),
    db.execute<{ total: string }>(
      sql`select count(*) as total from ${given} given join ${owner} on ${owner.id} = given.user_id where ${shown ?? sql`true`}`,
    ),
  ]);
  return { rows, total: Number(counted[0]?.total ?? 0) };
}
