import type { Transaction } from "../../db/client.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { NotFound } from "../errors.ts";
import { lockOwner } from "../owners/queries.ts";
import { deleteRepository } from "../repos/delete-repository.ts";
import { deleteOwners, lockAccountRow, lockTeams, ownersTeamsOf, repositoriesOf, teamsOfOne } from "./delete-queries.ts";
import { keepAnAdministrator } from "./edit-user.ts";

/**
 * Deletes a user with all that is only theirs: addresses, keys, tokens, sessions, memberships, collaborations. What they
 * did elsewhere stays, without their name. With `purge` also their repositories, and the organizations that nobody else
 * owns with theirs; without it, who owns any is not deleted. Files are removed by the collectors, after the transaction.
 * Throws InvalidInput, NotFound.
 */
export async function deleteUser(tx: Transaction, user: { id: number; name: string }, purge: boolean): Promise<void> {
  await keepAnAdministrator(tx, user, "username");
  // Whoever makes a repository or an organization for the user in this moment waits, or was first and is seen below.
  if ((await lockOwner(tx, user.id)) === null) {
    throw new NotFound("user", user.name);
  }
  await lockAccountRow(tx, user.id);
  const organizations = await ownedOrganizations(tx, user, purge);
  const owners = [user.id, ...organizations];
  const repositories = await repositoriesOf(tx, owners);
  if (repositories.length > 0 && !purge) {
    throw new InvalidInput(`"${user.name}" owns ${repositories.length === 1 ? "a repository" : `${repositories.length} repositories`}: purge deletes what they own with them`, "purge");
  }
  for (const repository of repositories) {
    await deleteRepository(tx, repository);
  }
  await deleteOwners(tx, owners);
}

/** The organizations that go with the user. */
async function ownedOrganizations(tx: Transaction, user: { id: number; name: string }, purge: boolean): Promise<number[]> {
  const teams = await ownersTeamsOf(tx, user.id);
  if (teams.length === 0) {
    return [];
  }
  if (!purge) {
    throw new InvalidInput(`"${user.name}" owns ${teams.length === 1 ? "an organization" : `${teams.length} organizations`}: purge deletes those that nobody else owns with them`, "purge");
  }
  for (const { organizationId } of teams) {
    await lockOwner(tx, organizationId);
  }
  const ids = teams.map(({ teamId }) => teamId);
  await lockTeams(tx, ids);
  const alone = await teamsOfOne(tx, ids);
  return teams.filter(({ teamId }) => alone.has(teamId)).map(({ organizationId }) => organizationId);
}
