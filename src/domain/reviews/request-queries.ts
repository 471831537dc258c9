import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { unitVisibleSql } from "../../auth/access-sql.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { account, owner } from "../../db/schema/owners.ts";
import { review } from "../../db/schema/pulls.ts";
import { repository } from "../../db/schema/repositories.ts";
import { alias } from "drizzle-orm/pg-core";
import { knownUsers } from "../comments/queries.ts";
import type { Team } from "../teams/queries.ts";
import { findKnownTeams } from "../teams/known-queries.ts";
import type { ReviewRow } from "./queries.ts";

/** Who was asked to review a pull request and has not yet: those of whom the viewer may know, in the order in which they were asked. */
export interface RequestedReviewers {
  readonly users: OwnerRow[];
  readonly teams: Team[];
}

/**
 * Who is asked to review each of these pull requests (their issues' ids), with a constant number of queries. `knowsTeams`: the viewer administers their
 * repository, and so may know of all teams.
 */
export async function findRequestedReviewers(
  db: Reader,
  viewer: Viewer,
  pullIds: readonly number[],
  knowsTeams: boolean,
): Promise<ReadonlyMap<number, RequestedReviewers>> {
  const found = new Map(pullIds.map((id) => [id, { users: [] as OwnerRow[], teams: [] as Team[] }]));
  if (pullIds.length === 0) {
    return found;
  }
  const rows = await db
    .select({ pullId: review.pullId, reviewerId: review.reviewerId, teamId: review.teamId })
    .from(review)
    .where(and(inArray(review.pullId, [...pullIds]), eq(review.kind, "request")))
    .orderBy(asc(review.id));
  const [users, teams] = await Promise.all([
    knownUsers(
      db,
      viewer,
      rows.map(({ reviewerId }) => reviewerId),
    ),
    findKnownTeams(
      db,
      viewer,
      rows.map(({ teamId }) => teamId),
      knowsTeams,
    ),
  ]);
  for (const { pullId, reviewerId, teamId } of rows) {
    const user = users.get(reviewerId ?? 0);
    const team = teams.get(teamId ?? 0);
    found.get(pullId)?.users.push(...(user === undefined ? [] : [user]));
    found.get(pullId)?.teams.push(...(team === undefined ? [] : [team]));
  }
  return found;
}

const asked = alias(owner, "asked");

/** The active users of these names in lower case who may read the pull requests of a repository. */
export async function findReviewers(
  db: Reader,
  repositoryId: number,
  lowerNames: readonly string[],
): Promise<{ id: number; name: string; lowerName: string }[]> {
  if (lowerNames.length === 0) {
    return [];
  }
  const reader = {
    id: sql`${account.ownerId}`,
    isAdmin: sql`${account.isAdmin}`,
    restricted: sql`${account.restricted}`,
  };
  return db
    .select({ id: asked.id, name: asked.name, lowerName: asked.lowerName })
    .from(asked)
    .innerJoin(account, eq(account.ownerId, asked.id))
    .innerJoin(repository, eq(repository.id, repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        inArray(asked.lowerName, [...lowerNames]),
        account.active,
        sql`not ${account.suspended}`,
        unitVisibleSql(reader, "pulls"),
      ),
    );
}

/** The requests of a pull request that are not given. */
export async function listRequests(tx: Transaction, pullId: number): Promise<ReviewRow[]> {
  return tx
    .select()
    .from(review)
    .where(and(eq(review.pullId, pullId), eq(review.kind, "request")));
}

/** Whoever is asked again has their former decisions count for nothing until they review. */
export async function suspendDecisions(tx: Transaction, pullId: number, userId: number): Promise<void> {
  await tx
    .update(review)
    .set({ official: false })
    .where(and(eq(review.pullId, pullId), eq(review.reviewerId, userId), review.official));
}
