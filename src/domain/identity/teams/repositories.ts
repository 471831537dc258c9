import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockTeam } from "./lock-team.ts";
import { deleteTeamRepository, insertTeamRepository } from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { namedTeam } from "./named-team.ts";

/** Gives a team a repository of its organization; it may have it already. Throws NotFound when the team is gone. */
export async function addTeamRepository(work: Work, teamId: number, access: RepositoryAccess): Promise<void> {
  const { tx } = work;
  const { repository } = access;
  const locked = await lockTeam(tx, teamId);
  const { team } = locked;
  if (team.organizationId !== repository.ownerId) {
    throw new NotFound("repository", repository.name);
  }
  await insertTeamRepository(tx, teamId, repository.id);
}

/** Takes a repository from a team; it is kept. Throws InvalidInput when the team has all, NotFound when it has not this one. */
export async function removeTeamRepository(work: Work, teamId: number, access: RepositoryAccess): Promise<void> {
  const { tx } = work;
  const { repository } = access;
  const locked = await lockTeam(tx, teamId);
  const { team } = locked;
  if (team.includesAllRepositories || team.mode === accessModes.owner) {
    throw new InvalidInput(`The team "${team.name}" has all repositories of its organization`, "team");
  }
  if (!(await deleteTeamRepository(tx, teamId, repository.id))) {
    throw new NotFound("repository of the team", repository.name);
  }
  work.tell({ kind: "team-repository.removed", repository: namedRepository(access), team: namedTeam(locked) });
}
