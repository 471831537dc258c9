import { sql, type SQL } from "drizzle-orm";
import { owner, team, teamMember } from "../db/schema/owners.ts";
import { collaborator, repository, teamRepository } from "../db/schema/repositories.ts";

/** Who looks, as SQL: an id (null for nobody) and two flags of the account and its credential. */
export interface ViewerSql {
  id: SQL;
  isAdmin: SQL;
  /** A restricted account sees only what it was given explicitly. */
  restricted: SQL;
  /** The viewer's highest team level in `owner`, where the query has it at hand; else it is looked up. */
  membership?: SQL<number | null>;
  /** The level that the viewer's teams give in `repository`; likewise. */
  teamMode?: SQL<number | null>;
}

/** Whether `team` has `repository`. */
const teamHasRepository = sql`(${team.mode} = 4 or ${team.includesAllRepositories}
  or exists (select 1 from ${teamRepository} where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id}))`;

function teamModeSql(userId: SQL): SQL<number | null> {
  return sql`(select max(${team.mode}) from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${userId} and ${team.organizationId} = ${repository.ownerId} and ${teamHasRepository})`;
}

/**
 * The teams of the viewer in the organization `owner`, as one row of `mode` (the highest; null when in none), `creates`
 * (whether one of them may create repositories) and, where there is one, `repository_mode` (the highest that has `repository`).
 */
export function teamsSql(viewer: ViewerSql, withRepository: boolean): SQL {
  const repositoryMode = withRepository ? sql`max(${team.mode}) filter (where ${teamHasRepository})` : sql`null::integer`;
  return sql`(select max(${team.mode}) as mode, bool_or(${team.canCreateRepositories} or ${team.mode} = 4) as creates, ${repositoryMode} as repository_mode
    from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${viewer.id} and ${team.organizationId} = ${owner.id})`;
}

function membershipOf(viewer: ViewerSql): SQL<number | null> {
  return viewer.membership ?? sql`(select teams.mode from ${teamsSql(viewer, false)} teams)`;
}

/** Whether the viewer may know that `owner` exists. */
export function ownerVisibleSql(viewer: ViewerSql): SQL<boolean> {
  return sql`(${viewer.isAdmin} or ${owner.id} = ${viewer.id}
    or (${owner.visibility} = 'public' and not ${viewer.restricted})
    or (${owner.visibility} = 'limited' and ${viewer.id} is not null and not ${viewer.restricted})
    or ${membershipOf(viewer)} is not null)`;
}

/** The access to `repository` that a user was given, as a collaborator or through a team; 0 for none. */
export function givenModeSql(userId: SQL, teamMode: SQL<number | null> = teamModeSql(userId)): SQL<number> {
  return sql`greatest(coalesce(${teamMode}, 0),
    coalesce((select ${collaborator.mode} from ${collaborator}
      where ${collaborator.repositoryId} = ${repository.id} and ${collaborator.userId} = ${userId}), 0))`;
}

/**
 * The viewer's access to `repository` of `owner`, as one of accessModes. The rule of who may do what with a repository,
 * once: the request guard reads it for one row, lists filter by it.
 */
export function accessModeSql(viewer: ViewerSql): SQL<number> {
  return sql`(case
    when ${repository.id} is null then 0
    when ${viewer.isAdmin} or ${repository.ownerId} = ${viewer.id} then 4
    else greatest(${givenModeSql(viewer.id, viewer.teamMode)},
      case when not ${repository.private} and ${ownerVisibleSql(viewer)} then 1 else 0 end)
    end)`;
}

/** What a public-only credential may touch at all. */
export const isPublicSql: SQL<boolean> = sql`(not ${repository.private} and ${owner.visibility} = 'public')`;
