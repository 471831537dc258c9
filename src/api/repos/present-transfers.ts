import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listTeamsById } from "../../domain/identity/teams/queries.ts";
import { listTransfers } from "../../domain/repos/transfers/queries.ts";
import { presentTeam } from "../teams/present.ts";
import { presentOwner } from "../users/present.ts";

export interface PresentedTransfer {
  doer: ReturnType<typeof presentOwner>;
  recipient: ReturnType<typeof presentOwner>;
  teams: ReturnType<typeof presentTeam>[];
}

const idsOf = (list: readonly RepositoryAccess[]) => list.map(({ repository }) => repository.id);
const isAdministered = ({ mode }: RepositoryAccess) => mode >= accessModes.admin;

/**
 * The offers of repositories by their ids, those that the viewer is told of: of what they administer, and of what is offered
 * to them. No query if none of the repositories is offered to anybody, else two.
 */
export async function presentTransfers(
  { database: { db }, addresses }: Forge,
  accesses: readonly RepositoryAccess[],
  viewer: Actor | null,
): Promise<ReadonlyMap<number, PresentedTransfer>> {
  const offered = accesses.filter(({ counts }) => counts.transfers > 0);
  if (viewer === null || offered.length === 0) {
    return new Map();
  }
  const transfers = await listTransfers(db, viewer.id, {
    administeredIds: idsOf(offered.filter(isAdministered)),
    otherIds: idsOf(offered.filter((access) => !isAdministered(access))),
  });
  const teams = await listTeamsById(
    db,
    transfers.flatMap(({ teamIds }) => teamIds),
  );
  return new Map(
    transfers.map(({ repositoryId, doer, recipient, teamIds }) => [
      repositoryId,
      {
        doer: presentOwner(addresses, doer, viewer),
        recipient: presentOwner(addresses, recipient, viewer),
        teams: teams
          .filter(({ team }) => teamIds.includes(team.id) && team.organizationId === recipient.id)
          .map((team) => presentTeam(addresses, team, viewer)),
      },
    ]),
  );
}
