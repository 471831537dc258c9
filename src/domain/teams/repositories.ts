import type { Actor, OwnerAccess, RepositoryAccess } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { Forbidden, NotFound } from "../errors.ts";
import { lockTeam } from "./lock-team.ts";
import { deleteTeamRepository, insertTeamRepository } from "./queries.ts";

/** Whether a team has a repository is for the organization's owners to say, and for the repository's administrators where they let them. */
export function demandMayChangeTeams(actor: Actor, membership: OwnerAccess["membership"], access: RepositoryAccess): void {
  const isOwner = actor.isAdmin || membership === accessModes.owner;
  if (!isOwner && !(access.mode >= accessModes.admin && access.owner.repoAdminChangeTeamAccess)) {
    throw new Forbidden(`Which teams have "${access.owner.name}/${access.repository.name}" is for the organization's owners to say, and for its administrators where they let them`);
  }
}

/** Gives a team a repository of its organization; it may have it already. Throws NotFound when the team is gone. */
export async function addTeamRepository(tx: Transaction, teamId: number, { repository }: RepositoryAccess): Promise<void> {
  const { team } = await lockTeam(tx, teamId);
  if (team.organizationId !== repository.ownerId) {
    throw new NotFound("repository", repository.name);
  }
  await insertTeamRepository(tx, teamId, repository.id);
}

/** Takes a repository from a team; it is kept. Throws InvalidInput when the team has all, NotFound when it has not this one. */
export async function removeTeamRepository(tx: Transaction, teamId: number, { repository }: RepositoryAccess): Promise<void> {
  const { team } = await lockTeam(tx, teamId);
  if (team.includesAllRepositories || team.mode === accessModes.owner) {
    throw new InvalidInput(`The team "${team.name}" has all repositories of its organization`, "team");
  }
  if (!(await deleteTeamRepository(tx, teamId, repository.id))) {
    throw new NotFound("repository of the team", repository.name);
  }
}
