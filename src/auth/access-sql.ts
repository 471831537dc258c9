import { and, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { accessTokenRepository } from "../db/schema/credentials.ts";
import { owner, team, teamMember, teamUnit, type Unit } from "../db/schema/owners.ts";
import { collaborator, repository, teamRepository } from "../db/schema/repositories.ts";
import { block } from "../db/schema/social.ts";

/**
 * The viewer as SQL expressions: their id (null if nobody is signed in), two flags of the account, and the limits of
 * the credential.
 */
export interface ViewerSql {
  id: SQL;
  isAdmin: SQL;
  /** A restricted account sees only what it was granted explicitly. */
  restricted: SQL;
  /** Whether the credential is a public-only token. Absent if it is not a token. */
  publicOnly?: SQL<boolean>;
  /** The id of the token, if it is limited to single repositories. */
  restrictedTokenId?: SQL;
  /** The viewer's highest team level in `owner`, if the query has it already. Otherwise a subquery reads it. */
  membership?: SQL<number | null>;
  /** The highest mode that one of their teams has in every unit of `repository`, if the query has it already. */
  teamMode?: SQL<number | null>;
  /** Whether the owner of `repository` blocks the viewer, if the query has it already. */
  blocked?: SQL<boolean>;
}

/** From this mode on, a team has every unit, and there are no rows for single units. */
const everyUnitFrom = 3;

/** Whether `team`, of the organization that owns it, has `repository`. */
export const teamHasRepository = sql`(${team.mode} = 4 or ${team.includesAllRepositories}
  or exists (select 1 from ${teamRepository} where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id}))`;

/** Selects the teams of a user that have `repository`. */
function teamsOfRepository(userId: SQL): SQL {
  return sql`${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${userId} and ${team.organizationId} = ${repository.ownerId} and ${teamHasRepository}`;
}

function teamModeOf(viewer: ViewerSql): SQL<number | null> {
  return (
    viewer.teamMode ??
    sql`(select max(${team.mode}) filter (where ${team.mode} >= ${sql.raw(String(everyUnitFrom))}) from ${teamsOfRepository(viewer.id)})`
  );
}

/**
 * The teams of the viewer in the organization `owner`, as one row of `mode` (the highest; null when in none), `creates`
 * (whether one of them may create repositories), `packages` (what they may do with the organization's packages; only without a
 * repository) and, where there is one, `every_unit` (the highest mode in all units of
 * `repository`) and `unit_teams` (the ids of those that have it and tell its units apart).
 */
export function teamsSql(viewer: ViewerSql, withRepository: boolean): SQL {
  const mine = sql`${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${viewer.id} and ${team.organizationId} = ${owner.id}`;
  if (!withRepository) {
    return sql`(select max(${team.mode}) as mode, bool_or(${team.canCreateRepositories} or ${team.mode} = 4) as creates,
      max(case when ${team.mode} >= ${sql.raw(String(everyUnitFrom))} then ${team.mode}
        else (select ${teamUnit.mode} from ${teamUnit} where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = 'packages') end) as packages,
      null::integer as every_unit, null::bigint[] as unit_teams from ${mine})`;
  }
  const from = sql.raw(String(everyUnitFrom));
  // "offset 0" keeps the inner select whole: what tells whether a team has the repository would be worked out twice.
  return sql`(select max(mine.mode) as mode, bool_or(mine.creates or mine.mode = 4) as creates, max(mine.mode) filter (where mine.has and mine.mode >= ${from}) as every_unit,
      array_agg(mine.id) filter (where mine.has and mine.mode < ${from}) as unit_teams
    from (select ${team.id} as id, ${team.mode} as mode, ${team.canCreateRepositories} as creates, ${teamHasRepository} as has from ${mine} offset 0) mine)`;
}

/**
 * The modes of these teams in single units, as a JSON object from unit to mode, or null if there are none. `teams` is
 * an SQL array of team ids.
 */
export function teamUnitsSql(teams: SQL): SQL<Partial<Record<Unit, number>> | null> {
  return sql`(select jsonb_object_agg(given.unit, given.mode)
    from (select ${teamUnit.unit} as unit, max(${teamUnit.mode}) as mode from ${teamUnit} where ${teamUnit.teamId} = any(${teams}) group by ${teamUnit.unit}) given)`;
}

function membershipOf(viewer: ViewerSql): SQL<number | null> {
  return viewer.membership ?? sql`(select teams.mode from ${teamsSql(viewer, false)} teams)`;
}

/** Whether the owner `owner` blocks this user. */
function blockedSql(userId: SQL): SQL<boolean> {
  return sql`exists (select 1 from ${block} where ${block.blockerId} = ${owner.id} and ${block.blockedId} = ${userId})`;
}

function blockedOf(viewer: ViewerSql): SQL<boolean> {
  return viewer.blocked ?? blockedSql(viewer.id);
}

/** Whether `owner` is visible to the viewer, and the credential may show it. */
export function ownerVisibleSql(viewer: ViewerSql): SQL<boolean> {
  const limit = ownerShownSql(viewer);
  return limit === undefined ? ownerKnownSql(viewer) : sql`(${limit} and ${ownerKnownSql(viewer)})`;
}

/**
 * Whether the viewer's credential shows `owner` to somebody who may know it; undefined: it shows all. Lists of people
 * for insiders (a team's members, a repository's collaborators) have this condition in place of ownerVisibleSql.
 */
export function ownerShownSql({ publicOnly }: ViewerSql): SQL<boolean> | undefined {
  return publicOnly && sql`(not ${publicOnly} or ${owner.visibility} = 'public')`;
}

function ownerKnownSql(viewer: ViewerSql): SQL<boolean> {
  return sql`(${viewer.isAdmin} or ${owner.id} = ${viewer.id}
    or (${owner.visibility} = 'public' and not ${viewer.restricted})
    or (${owner.visibility} = 'limited' and ${viewer.id} is not null and not ${viewer.restricted})
    or ${membershipOf(viewer)} is not null)`;
}

const anyUnit = sql`${team.mode} > 0`;

/** Whether a user was granted access to `repository`, as a collaborator or through a team that meets `ofTeam`. */
export function isGivenSql(userId: SQL, ofTeam: SQL = anyUnit): SQL<boolean> {
  return sql`(exists (select 1 from ${collaborator} where ${collaborator.repositoryId} = ${repository.id} and ${collaborator.userId} = ${userId})
    or exists (select 1 from ${teamsOfRepository(userId)} and ${ofTeam}))`;
}

/**
 * A subquery of the `id` of each user who was given at least this mode in one of these units of a repository, if the unit
 * is switched on: what the next rules say of one user, told of all. What everybody may read counts for nothing here.
 */
export function usersGivenSql(
  repositoryId: number | SQL,
  ownerId: number | SQL,
  units: readonly Unit[],
  mode: number,
): SQL {
  const isOn = sql`exists (select 1 from ${repository} where ${repository.id} = ${repositoryId}
    and (${sql.join(
      units.map((unit) => sql`${unitEnabled[unit]}`),
      sql` or `,
    )}))`;
  const inUnit = sql.join(
    units.map(
      (unit) => sql`exists (select 1 from ${teamUnit} join ${repository} on ${repository.id} = ${repositoryId}
        where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = ${sql.raw(`'${unit}'`)} and ${teamUnit.mode} >= ${mode} and ${unitEnabled[unit]})`,
    ),
    sql` or `,
  );
  return sql`(select every.id from (
      select ${owner.id} as id from ${owner} where ${owner.id} = ${ownerId} and ${owner.kind} = 'user' and ${isOn}
      union select ${collaborator.userId} from ${collaborator}
        where ${collaborator.repositoryId} = ${repositoryId} and ${collaborator.mode} >= ${mode} and ${isOn}
      union select ${teamMember.userId} from ${team} join ${teamMember} on ${teamMember.teamId} = ${team.id}
        where ${team.organizationId} = ${ownerId}
          and (${team.mode} = 4 or ${team.includesAllRepositories}
            or exists (select 1 from ${teamRepository} where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repositoryId}))
          and ((${team.mode} >= ${sql.raw(String(everyUnitFrom))} and ${isOn}) or ${inUnit})
    ) every where not exists (select 1 from ${block} where ${block.blockerId} = ${ownerId} and ${block.blockedId} = every.id))`;
}

/** Whether everybody reads `repository` who is as much known as the viewer. */
function isReadByAllSql(viewer: ViewerSql): SQL<boolean> {
  return sql`(not ${repository.private} and not ${viewer.restricted} and ${ownerKnownSql(viewer)})`;
}

/**
 * Whether the viewer may know of `repository` of `owner`: they have access to any unit of it. This function and the
 * next hold the rule of access to repositories. The request guard reads them for one row, and lists filter by this one.
 * A user whom the owner blocks has the access of everybody; a restricted account has only what it was granted.
 */
export function repositoryVisibleSql(viewer: ViewerSql): SQL<boolean> {
  return visibleSql(viewer, anyUnit);
}

/** Whether a unit of `repository` is enabled. */
const unitEnabled: Record<Unit, PgColumn | SQL> = {
  code: repository.hasCode,
  issues: repository.hasIssues,
  pulls: repository.hasPullRequests,
  releases: repository.hasReleases,
  wiki: sql`(${repository.hasWiki} and ${repository.externalWikiUrl} is null)`,
  packages: repository.hasPackages,
  projects: repository.hasProjects,
  actions: repository.hasActions,
};

/**
 * Whether the viewer may see a unit of `repository`: it is switched on, and they read it. `authorize` with this unit is
 * the same rule for one repository; a list of what lies in a unit (commits, issues, releases) filters by this one.
 */
export function unitVisibleSql(viewer: ViewerSql, unit: Unit): SQL<boolean> {
  return sql`(${unitEnabled[unit]} and ${visibleSql(viewer, teamHasUnit(sql.raw(`'${unit}'`)))})`;
}

/**
 * Whether the viewer may see an issue of `repository`, or a pull request where `isPull`: the rule of unitVisibleSql, written
 * once for both, because a statement costs by its length even where most of it is never asked.
 */
export function discussionVisibleSql(viewer: ViewerSql, isPull: SQL | PgColumn): SQL<boolean> {
  const unit = sql`case when ${isPull} then 'pulls' else 'issues' end`;
  return sql`(case when ${isPull} then ${unitEnabled.pulls} else ${unitEnabled.issues} end
    and ${visibleSql(viewer, teamHasUnit(unit))})`;
}

/**
 * Whether the viewer may see the unit that `subject` names: 'issue', 'pull', or 'repository', which needs access to any
 * unit.
 */
export function subjectVisibleSql(viewer: ViewerSql, subject: SQL | PgColumn): SQL<boolean> {
  const unit = sql`case ${subject} when 'pull' then 'pulls' else 'issues' end`;
  const ofTeam = sql`case ${subject} when 'repository' then ${anyUnit} else ${teamHasUnit(unit)} end`;
  return sql`(case ${subject} when 'issue' then ${unitEnabled.issues} when 'pull' then ${unitEnabled.pulls} else true end
    and ${visibleSql(viewer, ofTeam)})`;
}

/** Whether `team` has this unit of its repositories. */
function teamHasUnit(unit: SQL): SQL {
  return sql`(${team.mode} >= ${sql.raw(String(everyUnitFrom))}
    or exists (select 1 from ${teamUnit} where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = ${unit} and ${teamUnit.mode} > 0))`;
}

function visibleSql(viewer: ViewerSql, ofTeam: SQL): SQL<boolean> {
  const known = knownSql(viewer, ofTeam);
  const shown = repositoryShownSql(viewer);
  return shown === undefined ? known : sql`(${shown} and ${known})`;
}

function knownSql(viewer: ViewerSql, ofTeam: SQL): SQL<boolean> {
  // Cheap conditions come first and decide most rows.
  return sql`(${viewer.isAdmin} or ${repository.ownerId} = ${viewer.id} or ${isReadByAllSql(viewer)} or (${isGivenSql(viewer.id, ofTeam)} and not ${blockedOf(viewer)}))`;
}

/** The viewer's access to every unit, as one of accessModes. teamUnitsSql adds what teams have in single units. */
export function everyUnitModeSql(viewer: ViewerSql): SQL<number> {
  const collaboration = sql`(select ${collaborator.mode} from ${collaborator} where ${collaborator.repositoryId} = ${repository.id} and ${collaborator.userId} = ${viewer.id})`;
  return sql`(case
    when ${repository.id} is null then 0
    when ${viewer.isAdmin} or ${repository.ownerId} = ${viewer.id} then 4
    else greatest(case when ${blockedOf(viewer)} then 0 else greatest(coalesce(${teamModeOf(viewer)}, 0), coalesce(${collaboration}, 0)) end,
      case when ${isReadByAllSql(viewer)} then 1 else 0 end)
    end)`;
}

/** Columns of a query over `repository` and `owner` from which repositoryAccess (unit-modes.ts) puts the viewer's access together. */
export function accessColumns(viewer: ViewerSql) {
  const units = teamUnitsSql(sql`array(select ${team.id} from ${teamsOfRepository(viewer.id)})`);
  return {
    everyUnit: everyUnitModeSql(viewer).mapWith(Number),
    teamUnits: sql<Partial<Record<Unit, number>> | null>`(case when not ${blockedOf(viewer)} then ${units} end)`,
    blocked: blockedOf(viewer),
  };
}

const isPublicSql: SQL<boolean> = sql`(not ${repository.private} and ${owner.visibility} = 'public')`;

/** Whether the viewer's credential shows `repository` of `owner` to somebody who may know it; undefined: it shows all. */
export function repositoryShownSql({ publicOnly, restrictedTokenId }: ViewerSql): SQL | undefined {
  return and(
    publicOnly && sql`(not ${publicOnly} or ${isPublicSql})`,
    restrictedTokenId &&
      sql`exists (select 1 from ${accessTokenRepository} where ${accessTokenRepository.tokenId} = ${restrictedTokenId} and ${accessTokenRepository.repositoryId} = ${repository.id})`,
  );
}
