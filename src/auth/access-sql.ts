import { and, sql, type SQL } from "drizzle-orm";
import { accessTokenRepository } from "../db/schema/credentials.ts";
import { owner, team, teamMember, teamUnit, type Unit } from "../db/schema/owners.ts";
import { collaborator, repository, teamRepository } from "../db/schema/repositories.ts";
import { block } from "../db/schema/social.ts";
import type { Credential } from "./subject.ts";

/** Who looks, as SQL: an id (null for nobody) and two flags of the account and its credential. */
export interface ViewerSql {
  id: SQL;
  isAdmin: SQL;
  /** A restricted account sees only what it was given explicitly. */
  restricted: SQL;
  /** The viewer's highest team level in `owner`, where the query has it at hand; else it is looked up. */
  membership?: SQL<number | null>;
  /** The highest mode that a team of theirs gives in all units of `repository`; likewise. */
  teamMode?: SQL<number | null>;
  /** Whether the owner of `repository` keeps the viewer away; likewise. */
  blocked?: SQL<boolean>;
}

/** From this mode on, a team has all units and no rows that tell them apart. */
const everyUnitFrom = 3;

/** Whether `team` has `repository`. */
const teamHasRepository = sql`(${team.mode} = 4 or ${team.includesAllRepositories}
  or exists (select 1 from ${teamRepository} where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repository.id}))`;

/** The teams of a user that have `repository`. */
function teamsOfRepository(userId: SQL): SQL {
  return sql`${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${userId} and ${team.organizationId} = ${repository.ownerId} and ${teamHasRepository}`;
}

function teamModeOf(viewer: ViewerSql): SQL<number | null> {
  return viewer.teamMode ?? sql`(select max(${team.mode}) filter (where ${team.mode} >= ${sql.raw(String(everyUnitFrom))}) from ${teamsOfRepository(viewer.id)})`;
}

/**
 * The teams of the viewer in the organization `owner`, as one row of `mode` (the highest; null when in none), `creates`
 * (whether one of them may create repositories) and, where there is one, `every_unit` (the highest mode in all units of
 * `repository`) and `unit_teams` (the ids of those that have it and tell its units apart).
 */
export function teamsSql(viewer: ViewerSql, withRepository: boolean): SQL {
  const mine = sql`${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${viewer.id} and ${team.organizationId} = ${owner.id}`;
  if (!withRepository) {
    return sql`(select max(${team.mode}) as mode, bool_or(${team.canCreateRepositories} or ${team.mode} = 4) as creates, null::integer as every_unit, null::bigint[] as unit_teams from ${mine})`;
  }
  const from = sql.raw(String(everyUnitFrom));
  // "offset 0" keeps the inner select whole: what tells whether a team has the repository would be worked out twice.
  return sql`(select max(mine.mode) as mode, bool_or(mine.creates or mine.mode = 4) as creates, max(mine.mode) filter (where mine.has and mine.mode >= ${from}) as every_unit,
      array_agg(mine.id) filter (where mine.has and mine.mode < ${from}) as unit_teams
    from (select ${team.id} as id, ${team.mode} as mode, ${team.canCreateRepositories} as creates, ${teamHasRepository} as has from ${mine} offset 0) mine)`;
}

/** What these teams give in single units, as JSON from unit to mode; null for none. `teams` is SQL of an array of their ids. */
export function teamUnitsSql(teams: SQL): SQL<Partial<Record<Unit, number>> | null> {
  return sql`(select jsonb_object_agg(given.unit, given.mode)
    from (select ${teamUnit.unit} as unit, max(${teamUnit.mode}) as mode from ${teamUnit} where ${teamUnit.teamId} = any(${teams}) group by ${teamUnit.unit}) given)`;
}

function membershipOf(viewer: ViewerSql): SQL<number | null> {
  return viewer.membership ?? sql`(select teams.mode from ${teamsSql(viewer, false)} teams)`;
}

/** Whether the owner `owner` keeps this user away. */
function blockedSql(userId: SQL): SQL<boolean> {
  return sql`exists (select 1 from ${block} where ${block.blockerId} = ${owner.id} and ${block.blockedId} = ${userId})`;
}

function blockedOf(viewer: ViewerSql): SQL<boolean> {
  return viewer.blocked ?? blockedSql(viewer.id);
}

/** Whether the viewer may know that `owner` exists. */
export function ownerVisibleSql(viewer: ViewerSql): SQL<boolean> {
  return sql`(${viewer.isAdmin} or ${owner.id} = ${viewer.id}
    or (${owner.visibility} = 'public' and not ${viewer.restricted})
    or (${owner.visibility} = 'limited' and ${viewer.id} is not null and not ${viewer.restricted})
    or ${membershipOf(viewer)} is not null)`;
}

const anyUnit = sql`${team.mode} > 0`;

/** Whether a user was given access to `repository`, as a collaborator or through a team of which this holds. */
export function isGivenSql(userId: SQL, ofTeam: SQL = anyUnit): SQL<boolean> {
  return sql`(exists (select 1 from ${collaborator} where ${collaborator.repositoryId} = ${repository.id} and ${collaborator.userId} = ${userId})
    or exists (select 1 from ${teamsOfRepository(userId)} and ${ofTeam}))`;
}

/** Whether everybody reads `repository` who is as much known as the viewer. */
function isReadByAllSql(viewer: ViewerSql): SQL<boolean> {
  return sql`(not ${repository.private} and not ${viewer.restricted} and ${ownerVisibleSql(viewer)})`;
}

/**
 * Whether the viewer may know of `repository` of `owner`: they have access to any unit of it. The rule of who may do what
 * with a repository is this and the next; the request guard reads them for one row, lists filter by this one. Whoever the
 * owner keeps away has what everybody has; a restricted account has what it was given.
 */
export function repositoryVisibleSql(viewer: ViewerSql): SQL<boolean> {
  return visibleSql(viewer, anyUnit);
}

/** Whether the viewer may see the code of `repository`: what was pushed to it and by whom. */
export function codeVisibleSql(viewer: ViewerSql): SQL<boolean> {
  const teamHasCode = sql`(${team.mode} >= ${sql.raw(String(everyUnitFrom))}
    or exists (select 1 from ${teamUnit} where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = 'code' and ${teamUnit.mode} > 0))`;
  return sql`(${repository.hasCode} and ${visibleSql(viewer, teamHasCode)})`;
}

function visibleSql(viewer: ViewerSql, ofTeam: SQL): SQL<boolean> {
  // What is cheap to find out comes first, and ends it for most rows.
  return sql`(${viewer.isAdmin} or ${repository.ownerId} = ${viewer.id} or ${isReadByAllSql(viewer)} or (${isGivenSql(viewer.id, ofTeam)} and not ${blockedOf(viewer)}))`;
}

/** The access that the viewer has in every unit alike, as one of accessModes; teamUnitsSql tells what teams add in single ones. */
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

/**
 * Which repositories a credential can touch at all, whoever's it is; undefined: any. Every list of repositories has this
 * condition. `tokenId` stands for the token's id, where a statement is made once for many of them.
 */
export function reachSql(credential: Credential, tokenId?: SQL): SQL | undefined {
  if (credential.kind !== "token") {
    return undefined;
  }
  const { publicOnly, restricted } = credential.scopes;
  return and(
    publicOnly ? isPublicSql : undefined,
    restricted
      ? sql`exists (select 1 from ${accessTokenRepository} where ${accessTokenRepository.tokenId} = ${tokenId ?? credential.tokenId} and ${accessTokenRepository.repositoryId} = ${repository.id})`
      : undefined,
  );
}
