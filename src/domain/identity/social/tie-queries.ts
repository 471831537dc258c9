import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { owner } from "../../../db/schema/owners.ts";
import { collaborator, repository } from "../../../db/schema/repositories.ts";
import { block, star, watch } from "../../../db/schema/social.ts";
import { namedRepository, type NamedOwner, type NamedRepository } from "../../spine/events/names.ts";

/** The ties to cut: those of one user to all that is the blocker's, or those of all blocked users to one repository. */
export type Which = { blockedId: number } | { repositoryId: number };

/** In the order of the locks: no counter of a collaborator is kept. */
const tables = { star, watch, collaborator } as const;
export type TieKind = keyof typeof tables;
export const tieKinds = Object.keys(tables) as TieKind[];

export interface Tie {
  kind: TieKind;
  user: NamedOwner;
  repository: NamedRepository;
}

/** The ties that there are. */
export async function findTies(tx: Transaction, blockerId: number, which: Which): Promise<Tie[]> {
  const condition =
    "blockedId" in which
      ? sql`ties.user_id = ${which.blockedId}`
      : sql`ties.repository_id = ${which.repositoryId} and exists (
          select 1 from ${block} where ${block.blockerId} = ${blockerId} and ${block.blockedId} = ties.user_id)`;
  const rows = await tx
    .select({
      kind: sql<TieKind>`ties.kind`,
      user: { id: sql<number>`"user".id`.mapWith(owner.id), name: sql<string>`"user".name` },
      repository: { id: repository.id, name: repository.name, private: repository.private },
      owner: { id: owner.id, name: owner.name },
    })
    .from(
      sql`(select 'star' as kind, user_id, repository_id from ${star}
        union all select 'watch', user_id, repository_id from ${watch}
        union all select 'collaborator', user_id, repository_id from ${collaborator}) ties
        join ${owner} "user" on "user".id = ties.user_id`,
    )
    .innerJoin(repository, sql`${repository.id} = ties.repository_id`)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(sql`${repository.ownerId} = ${blockerId} and ${condition}`)
    .orderBy(repository.id, sql`ties.user_id`);
  return rows.map(({ kind, user, ...named }) => ({ kind, user, repository: namedRepository(named) }));
}

/** Deletes ties of a kind. Returns those that were still there. */
export async function deleteTies(tx: Transaction, kind: TieKind, ties: readonly Tie[]): Promise<Tie[]> {
  if (ties.length === 0) {
    return [];
  }
  const table = tables[kind];
  const users = sql.param(ties.map(({ user }) => user.id));
  const repositories = sql.param(ties.map((tie) => tie.repository.id));
  const rows = await tx.execute<{ user_id: string; repository_id: string }>(sql`
    delete from ${table} where (${table.userId}, ${table.repositoryId}) in (
      select * from unnest(${users}::bigint[], ${repositories}::bigint[])) returning user_id, repository_id`);
  const gone = new Set(rows.map((row) => `${row.user_id} ${row.repository_id}`));
  return ties.filter((tie) => gone.has(`${tie.user.id} ${tie.repository.id}`));
}

/** The users who gave a repository a star and whom this owner, who need not be its own yet, keeps away. */
export async function findBlockedStargazers(
  tx: Transaction,
  blockerId: number,
  repositoryId: number,
): Promise<number[]> {
  const rows = await tx
    .select({ id: star.userId })
    .from(star)
    .innerJoin(block, and(eq(block.blockedId, star.userId), eq(block.blockerId, blockerId)))
    .where(eq(star.repositoryId, repositoryId));
  return rows.map(({ id }) => id);
}
