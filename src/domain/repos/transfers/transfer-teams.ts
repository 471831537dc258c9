import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { findTeams } from "./queries.ts";

/** More teams than an organization may have are not looked up. */
const mostTeams = 1000;

/** Returns the teams of the recipient that will have the repository. Throws InvalidInput for those that are not its own. */
export async function readTransferTeams(db: Reader, recipient: OwnerRow, ids: readonly number[]): Promise<number[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) {
    return [];
  }
  if (recipient.kind !== "organization") {
    throw new InvalidInput(`"${recipient.name}" is a user, and only organizations have teams`, "team_ids");
  }
  if (unique.length > mostTeams) {
    throw new InvalidInput(`team_ids may name at most ${mostTeams} teams`, "team_ids");
  }
  const known = new Set(
    (await findTeams(db, unique)).filter((team) => team.organizationId === recipient.id).map(({ id }) => id),
  );
  const foreign = unique.find((id) => !known.has(id));
  if (foreign !== undefined) {
    throw new InvalidInput(`The team ${foreign} is none of "${recipient.name}"`, "team_ids");
  }
  return unique;
}
