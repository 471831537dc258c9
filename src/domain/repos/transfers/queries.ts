import { aliasedTable, and, eq, getTableColumns, inArray, or, sql, type SQL } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { repositoryMigration } from "../../../db/schema/mirrors.ts";
import { accessModes, account, owner, team, teamMember } from "../../../db/schema/owners.ts";
import { collaborator, repository, teamRepository } from "../../../db/schema/repositories.ts";
import { repositoryTransfer } from "../../../db/schema/transfers.ts";

/** An offer of a repository. */
export interface Transfer {
  repositoryId: number;
  doer: OwnerRow;
  recipient: OwnerRow;
  teamIds: number[];
}

/** Offers a repository that is offered to nobody. */
export async function insertTransfer(
  tx: Transaction,
  columns: { repositoryId: number; doerId: number; recipientId: number; teamIds: number[] },
): Promise<void> {
  await tx.insert(repositoryTransfer).values(columns);
}

export async function deleteTransfer(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.delete(repositoryTransfer).where(eq(repositoryTransfer.repositoryId, repositoryId));
}

/** The ids of those who may accept `repository_transfer`: it is for them, or for an organization that they may create repositories in. */
const acceptersSql = sql`(select ${repositoryTransfer.recipientId} as user_id union
  select ${teamMember.userId} from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${team.organizationId} = ${repositoryTransfer.recipientId} and (${team.canCreateRepositories} or ${team.mode} = ${sql.raw(String(accessModes.owner))}))`;

function selectTransfers(db: Reader, where: SQL | undefined): Promise<Transfer[]> {
  const doer = aliasedTable(owner, "doer");
  return db
    .select({
      repositoryId: repositoryTransfer.repositoryId,
      doer: getTableColumns(doer),
      recipient: getTableColumns(owner),
      teamIds: repositoryTransfer.teamIds,
    })
    .from(repositoryTransfer)
    .innerJoin(doer, eq(doer.id, repositoryTransfer.doerId))
    .innerJoin(owner, eq(owner.id, repositoryTransfer.recipientId))
    .where(where);
}

/** The offer of a repository; null when there is none. */
export async function findTransfer(db: Reader, repositoryId: number): Promise<Transfer | null> {
  const [row] = await selectTransfers(db, eq(repositoryTransfer.repositoryId, repositoryId));
  return row ?? null;
}

/** Whether the repository is offered to this user, or to an organization that they may create repositories in. */
export async function isOfferedTo(db: Reader, repositoryId: number, userId: number): Promise<boolean> {
  const rows = await db
    .select({ id: repositoryTransfer.repositoryId })
    .from(repositoryTransfer)
    .where(and(eq(repositoryTransfer.repositoryId, repositoryId), sql`${userId} in ${acceptersSql}`));
  return rows.length > 0;
}

/** The offers of these repositories: all of `administeredIds`, and of `otherIds` those that the viewer may accept. */
export async function listTransfers(
  db: Reader,
  viewerId: number,
  { administeredIds, otherIds }: { administeredIds: number[]; otherIds: number[] },
): Promise<Transfer[]> {
  const { repositoryId } = repositoryTransfer;
  return selectTransfers(
    db,
    or(
      inArray(repositoryId, administeredIds),
      and(inArray(repositoryId, otherIds), sql`${viewerId} in ${acceptersSql}`),
    ),
  );
}

/** Which offers: that of a repository, or those to an owner. */
export type WhichOffers = { repositoryId: number } | { recipientId: number };

/** Lets those see what is offered who may accept it and might not see it otherwise, and nobody any more who may not accept it. */
export async function writeReaders(tx: Transaction, which: WhichOffers): Promise<void> {
  const asked =
    "repositoryId" in which
      ? eq(repositoryTransfer.repositoryId, which.repositoryId)
      : eq(repositoryTransfer.recipientId, which.recipientId);
  await tx.execute(sql`
    delete from ${collaborator} using ${repositoryTransfer}
    where ${asked} and ${collaborator.repositoryId} = ${repositoryTransfer.repositoryId} and ${collaborator.forTransfer}
      and ${collaborator.userId} not in ${acceptersSql}`);
  await tx.execute(sql`
    insert into ${collaborator} (repository_id, user_id, mode, for_transfer)
    select ${repository.id}, ${account.ownerId}, ${accessModes.read}, true from ${repositoryTransfer}
      join ${repository} on ${repository.id} = ${repositoryTransfer.repositoryId} join ${owner} on ${owner.id} = ${repository.ownerId}
      cross join lateral ${acceptersSql} accepter join ${account} on ${account.ownerId} = accepter.user_id
    where ${asked} and (${repository.private} or ${owner.visibility} <> 'public' or ${account.restricted}) on conflict do nothing`);
}

/** Whether a user may give away what belongs to this owner: it is theirs, or they own the organization, or administer the site. */
export async function mayGiveAway(db: Reader, userId: number, ownerId: number): Promise<boolean> {
  const rows = await db
    .select({ id: account.ownerId })
    .from(account)
    .where(
      and(
        eq(account.ownerId, userId),
        eq(account.active, true),
        eq(account.suspended, false),
        sql`(${account.isAdmin} or ${account.ownerId} = ${ownerId} or exists (select 1 from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
          where ${teamMember.userId} = ${userId} and ${team.organizationId} = ${ownerId} and ${team.mode} = ${accessModes.owner}))`,
      ),
    );
  return rows.length > 0;
}

/** The teams of these ids, and whose they are. */
export async function findTeams(
  db: Reader,
  ids: readonly number[],
): Promise<{ id: number; name: string; organizationId: number; hasAll: boolean }[]> {
  return db
    .select({
      id: team.id,
      name: team.name,
      organizationId: team.organizationId,
      hasAll: sql<boolean>`(${team.includesAllRepositories} or ${team.mode} = ${accessModes.owner})`,
    })
    .from(team)
    .where(inArray(team.id, [...ids]))
    .orderBy(team.id);
}

/** Takes a repository from all teams that were given it. Returns these. */
export async function deleteTeamsOf(tx: Transaction, repositoryId: number): Promise<{ id: number; name: string }[]> {
  const rows = await tx
    .delete(teamRepository)
    .where(eq(teamRepository.repositoryId, repositoryId))
    .returning({ id: teamRepository.teamId });
  return rows.length === 0
    ? []
    : tx
        .select({ id: team.id, name: team.name })
        .from(team)
        .where(
          inArray(
            team.id,
            rows.map(({ id }) => id),
          ),
        );
}

export async function insertTeamsOf(
  tx: Transaction,
  repositoryId: number,
  teams: readonly { id: number }[],
): Promise<void> {
  if (teams.length > 0) {
    await tx
      .insert(teamRepository)
      .values(teams.map(({ id }) => ({ teamId: id, repositoryId })))
      .onConflictDoNothing();
  }
}

/** The owner of this id. */
export async function findOwnerById(db: Reader, id: number): Promise<OwnerRow | null> {
  const [row] = await db.select().from(owner).where(eq(owner.id, id));
  return row ?? null;
}

/** Whether a migration to the repository waits or runs. */
export async function isBeingMigrated(db: Reader, repositoryId: number): Promise<boolean> {
  const [row] = await db
    .select({ id: repositoryMigration.id })
    .from(repositoryMigration)
    .where(
      and(
        eq(repositoryMigration.repositoryId, repositoryId),
        inArray(repositoryMigration.state, ["waiting", "running"]),
      ),
    )
    .limit(1);
  return row !== undefined;
}
