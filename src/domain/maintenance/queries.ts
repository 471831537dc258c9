import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { owner } from "../../db/schema/owners.ts";
import { reflog, repository } from "../../db/schema/repositories.ts";
import type { ObjectFormatName } from "../../git/objects/object-format.ts";

export interface MaintainedRepository {
  id: number;
  name: string;
  defaultBranch: string;
  objectFormat: ObjectFormatName;
}

/** What maintenance has to know of a repository; null when there is none. */
export async function findMaintained(db: Reader, id: number): Promise<MaintainedRepository | null> {
  const [row] = await db
    .select({ id: repository.id, name: repository.name, defaultBranch: repository.defaultBranch, objectFormat: repository.objectFormat })
    .from(repository)
    .where(eq(repository.id, id));
  return row ?? null;
}

/** Takes the repository's row for this transaction and raises its generation; to its users it has not changed. False when it is gone. */
export async function lockForMaintenance(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx
    .update(repository)
    .set({ generation: sql`${repository.generation} + 1` })
    .where(eq(repository.id, id))
    .returning({ id: repository.id });
  return rows.length > 0;
}

/** What refs pointed at before or after a change since an instant; hexadecimal. */
export async function recentOids(db: Reader, repositoryId: number, since: Date): Promise<string[]> {
  const rows = await db
    .select({ old: sql<string | null>`encode(${reflog.oldOid}, 'hex')`, new: sql<string | null>`encode(${reflog.newOid}, 'hex')` })
    .from(reflog)
    .where(and(eq(reflog.repositoryId, repositoryId), gt(reflog.at, since)));
  return [...new Set(rows.flatMap((row) => [row.old ?? [], row.new ?? []].flat()))];
}

/** All repositories as owner/name, in the order of their ids. */
export async function listRepositoryNames(db: Reader): Promise<{ id: number; fullName: string }[]> {
  return db
    .select({ id: repository.id, fullName: sql<string>`${owner.name} || '/' || ${repository.name}` })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .orderBy(asc(repository.id));
}
