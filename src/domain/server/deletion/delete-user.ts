import type { Transaction } from "../../../db/client.ts";
import { deletePackagesOf, hasPackages } from "../../packages/queries.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockOwner } from "../../identity/owners/queries.ts";
import { deleteRepositories } from "../../repos/delete-repository.ts";
import {
  deleteOwners,
  lockAccountForDeletion,
  lockOwnership,
  organizationsOwnedBy,
  ownedAlone,
  repositoriesOf,
} from "./delete-queries.ts";
import { checkAdministratorLeft } from "../../identity/users/edit-user.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Deletes a user with all that is only theirs: addresses, keys, tokens, sessions, memberships, collaborations. What they
 * did elsewhere stays, without their name. With `purge` also their repositories, and the organizations that nobody else
 * owns with theirs; without it, who owns any is not deleted. Files are removed by the collectors, after the transaction.
 * Throws InvalidInput, NotFound.
 */
export async function deleteUser(work: Work, user: { id: number; name: string }, purge: boolean): Promise<void> {
  const { tx } = work;
  await checkAdministratorLeft(tx, user, "username");
  // A transaction that makes a repository or an organization for the user now waits, or came first and is seen below.
  if ((await lockOwner(tx, user.id)) === null) {
    throw new NotFound("user", user.name);
  }
  await lockAccountForDeletion(tx, user.id);
  const organizations = await organizationsToDelete(tx, user, purge);
  const owners = [user.id, ...organizations];
  const repositories = await repositoriesOf(tx, owners);
  if (repositories.length > 0 && !purge) {
    throw new InvalidInput(
      `"${user.name}" owns ${repositories.length === 1 ? "a repository" : `${repositories.length} repositories`}: purge deletes what they own with them`,
      "purge",
    );
  }
  if (purge) {
    await deletePackagesOf(tx, owners);
  } else if (await hasPackages(tx, user.id)) {
    throw new InvalidInput(`"${user.name}" owns packages: purge deletes what they own with them`, "purge");
  }
  await deleteRepositories(work, repositories);
  await deleteOwners(tx, owners);
}

/** The organizations that go with the user. */
async function organizationsToDelete(
  tx: Transaction,
  user: { id: number; name: string },
  purge: boolean,
): Promise<number[]> {
  const owned = await organizationsOwnedBy(tx, user.id);
  if (owned.length === 0) {
    return [];
  }
  if (!purge) {
    throw new InvalidInput(
      `"${user.name}" owns ${owned.length === 1 ? "an organization" : `${owned.length} organizations`}: purge deletes those that nobody else owns with them`,
      "purge",
    );
  }
  for (const id of owned) {
    await lockOwner(tx, id);
  }
  await lockOwnership(tx, owned);
  return ownedAlone(tx, owned, user.id);
}
