import { and, inArray, sql } from "drizzle-orm";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { owner, team, teamMember } from "../../../db/schema/owners.ts";
import { listTeamsById, type Team } from "./queries.ts";

/**
 * The teams of these ids, as far as the viewer may know that they exist: members of the organization may, and `knowsAll` says it of those who
 * administer the repository.
 */
export async function findKnownTeams(
  db: Reader,
  viewer: Viewer,
  ids: readonly (number | null)[],
  knowsAll: boolean,
): Promise<Map<number, Team>> {
  const wanted = [...new Set(ids.flatMap((id) => id ?? []))];
  if (wanted.length === 0) {
    return new Map();
  }
  const found = await listTeamsById(db, wanted);
  if (knowsAll) {
    return new Map(found.map((one) => [one.team.id, one]));
  }
  const organizations = [...new Set(found.map(({ team: { organizationId } }) => organizationId))];
  const { id, isAdmin } = viewerOf(viewer);
  const known = await db
    .select({ id: owner.id })
    .from(owner)
    .where(
      and(
        inArray(owner.id, organizations),
        sql`(${isAdmin} or exists (select 1 from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
          where ${teamMember.userId} = ${id} and ${team.organizationId} = ${owner.id}))`,
      ),
    );
  const knownIds = new Set(known.map((row) => row.id));
  return new Map(found.flatMap((one) => (knownIds.has(one.team.organizationId) ? [[one.team.id, one]] : [])));
}
