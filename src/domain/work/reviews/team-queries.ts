import { and, eq, inArray, sql } from "drizzle-orm";
import { teamHasRepository } from "../../../auth/access-sql.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes, team, teamUnit } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** Whether `team` may read the unit "pulls" of its repositories. */
const mayReadPulls = sql`(${team.mode} >= ${sql.raw(String(accessModes.admin))} or exists (select 1 from ${teamUnit}
  where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = 'pulls' and ${teamUnit.mode} >= ${sql.raw(String(accessModes.read))}))`;

/** The teams of these names in lower case that have a repository and may read its pull requests. */
export async function findReviewingTeams(
  db: Reader,
  repositoryId: number,
  lowerNames: readonly string[],
): Promise<{ id: number; name: string; lowerName: string }[]> {
  return lowerNames.length === 0
    ? []
    : db
        .select({ id: team.id, name: team.name, lowerName: team.lowerName })
        .from(repository)
        .innerJoin(team, and(eq(team.organizationId, repository.ownerId), inArray(team.lowerName, [...lowerNames])))
        .where(and(eq(repository.id, repositoryId), teamHasRepository, mayReadPulls));
}
