import { and, eq, ne, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { pullMirror, pushMirror, repositoryMigration } from "../../../db/schema/mirrors.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** Finds the data and the recipient of a mail about a failed migration; null if the migration is gone. */
export async function findToldMigration(
  db: Reader,
  id: number,
): Promise<{ actorId: number; fullName: string; address: string; error: string } | null> {
  const { actorId, fullName, address, error } = repositoryMigration;
  const [row] = await db
    .select({ actorId, fullName, address, error })
    .from(repositoryMigration)
    .where(eq(repositoryMigration.id, id));
  return row ?? null;
}

/** The data of a mail about a mirror. */
interface FailingMirror {
  owner: string;
  name: string;
  /** Without credentials. */
  address: string;
  error: string;
}

/** A mirror that failed the last time; null for one that is gone or works again. `pushMirrorId` null: the pull mirror. */
export async function findFailingMirror(
  db: Reader,
  { repositoryId, pushMirrorId }: { repositoryId: number; pushMirrorId: number | null },
): Promise<FailingMirror | null> {
  const table = pushMirrorId === null ? pullMirror : pushMirror;
  const [row] = await db
    .select({ owner: owner.name, name: repository.name, address: table.address, error: table.lastError })
    .from(table)
    .innerJoin(repository, eq(repository.id, table.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(table.repositoryId, repositoryId),
        pushMirrorId === null ? sql`true` : eq(pushMirror.id, pushMirrorId),
        ne(table.lastError, ""),
      ),
    );
  return row ?? null;
}
