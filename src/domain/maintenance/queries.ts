import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../db/client.ts";
import { blobReference } from "../../db/schema/blob.ts";
import { repositorySize } from "../../db/schema/lists.ts";
import { owner } from "../../db/schema/owners.ts";
import { reflog, repository } from "../../db/schema/repositories.ts";
import type { ObjectFormatName } from "../../git/objects/object-format.ts";
import { objectsOf } from "../lfs/queries.ts";

export interface MaintainedRepository {
  id: number;
  ownerId: number;
  name: string;
  defaultBranch: string;
  objectFormat: ObjectFormatName;
}

/** What maintenance has to know of a repository; null when there is none. */
export async function findMaintained(db: Reader, id: number): Promise<MaintainedRepository | null> {
  const [row] = await db
    .select({
      id: repository.id,
      ownerId: repository.ownerId,
      name: repository.name,
      defaultBranch: repository.defaultBranch,
      objectFormat: repository.objectFormat,
    })
    .from(repository)
    .where(eq(repository.id, id));
  return row ?? null;
}

export interface LfsCount {
  readonly objects: number;
  readonly bytes: number;
  /** of all repositories that the same owner has; an object that is in two of them counts twice */
  readonly ownerBytes: number;
}

/** What a repository, and its owner, keep in LFS. */
export async function countLfs(
  db: Reader,
  { id, ownerId }: Pick<MaintainedRepository, "id" | "ownerId">,
): Promise<LfsCount> {
  const sizes = await db
    .select({ id: repository.id, bytes: repositorySize.lfsBytes })
    .from(repository)
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .where(eq(repository.ownerId, ownerId));
  return {
    objects: await db.$count(blobReference, objectsOf(id)),
    bytes: sizes.find((one) => one.id === id)?.bytes ?? 0,
    ownerBytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
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
    .select({
      old: sql<string | null>`encode(${reflog.oldOid}, 'hex')`,
      new: sql<string | null>`encode(${reflog.newOid}, 'hex')`,
    })
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
