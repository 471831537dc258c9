import { and, desc, eq, gt, isNotNull, ne, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { owner } from "../../../db/schema/owners.ts";
import { ref, reflog } from "../../../db/schema/repositories.ts";

/** A move of a branch away from a commit, from the record of ref changes. */
export interface LeftTip {
  readonly id: number;
  /** Full name. */
  readonly name: string;
  /** Hexadecimal, here and below. */
  readonly oldOid: string;
  /** null: the branch was deleted. */
  readonly newOid: string | null;
  /** The name of the user who did it; null: nobody knows, or the server did. */
  readonly actor: string | null;
  readonly at: Date;
}

function selectLeft(db: Reader) {
  return db
    .select({
      id: reflog.id,
      name: reflog.name,
      oldOid: sql<string>`encode(${reflog.oldOid}, 'hex')`,
      newOid: sql<string | null>`encode(${reflog.newOid}, 'hex')`,
      actor: owner.name,
      at: reflog.at,
    })
    .from(reflog)
    .leftJoin(owner, eq(owner.id, reflog.actorId))
    .$dynamic();
}

function isLeft(repositoryId: number, since: Date) {
  return and(
    eq(reflog.repositoryId, repositoryId),
    gt(reflog.at, since),
    isNotNull(reflog.oldOid),
    // The branch has the commit under its other name.
    ne(reflog.reason, "rename branch"),
    sql`starts_with(${reflog.name}, 'refs/heads/')`,
  );
}

/** The latest moves of branches away from a commit, the last one first. */
export async function listLeftTips(db: Reader, repositoryId: number, since: Date, limit: number): Promise<LeftTip[]> {
  return selectLeft(db).where(isLeft(repositoryId, since)).orderBy(desc(reflog.id)).limit(limit);
}

/** One of them; null where it is none, or too old. */
export async function findLeftTip(db: Reader, repositoryId: number, id: number, since: Date): Promise<LeftTip | null> {
  const [row] = await selectLeft(db).where(and(isLeft(repositoryId, since), eq(reflog.id, id)));
  return row ?? null;
}

/** The full names of the branches that there are and that a user has pushed to or made. */
export async function listBranchesOf(db: Reader, repositoryId: number, actorId: number): Promise<string[]> {
  const rows = await db
    .selectDistinct({ name: ref.name })
    .from(reflog)
    .innerJoin(ref, and(eq(ref.repositoryId, reflog.repositoryId), eq(ref.name, reflog.name)))
    .where(
      and(
        eq(reflog.repositoryId, repositoryId),
        eq(reflog.actorId, actorId),
        sql`starts_with(${reflog.name}, 'refs/heads/')`,
      ),
    );
  return rows.map(({ name }) => name);
}
