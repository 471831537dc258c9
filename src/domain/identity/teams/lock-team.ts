import type { Transaction } from "../../../db/client.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockOwner } from "../owners/queries.ts";
import { getTeam, type Team } from "./queries.ts";

/**
 * Takes a team's organization for this transaction, so that of two who change its teams and members the second sees what
 * the first did, and reads the team. Throws NotFound when either is gone.
 */
export async function lockTeam(tx: Transaction, id: number): Promise<Team> {
  const { organization } = await getTeam(tx, id);
  if ((await lockOwner(tx, organization.id)) === null) {
    throw new NotFound("team", String(id));
  }
  return getTeam(tx, id);
}
