import { asc, gt, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { installation } from "../../../db/schema/installation.ts";
import { pack, repositoryPack } from "../../../db/schema/repositories.ts";

/** The installation that a database belongs to. */
export interface Installation {
  id: string;
  name: string;
}

/** The installation that the database belongs to; null when it does not say. */
export async function findInstallation(db: Reader): Promise<Installation | null> {
  const [row] = await db.select({ id: installation.id, name: installation.name }).from(installation);
  return row ?? null;
}

/** Writes the installation of a database that has none. */
export async function insertInstallation(tx: Transaction, { id, name }: Installation): Promise<void> {
  await tx.insert(installation).values({ id, name });
}

/** Checksums of the packs that repositories have, in the order of their ids, some at a time. */
export async function* linkedPackPages(db: Reader, size: number): AsyncGenerator<string[]> {
  for (let last = 0; ;) {
    const page = await db
      .select({ id: pack.id, checksum: pack.checksum })
      .from(pack)
      .where(
        sql`${gt(pack.id, last)} and exists (select 1 from ${repositoryPack} where ${repositoryPack.packId} = ${pack.id})`,
      )
      .orderBy(asc(pack.id))
      .limit(size);
    const newest = page.at(-1);
    if (newest === undefined) {
      return;
    }
    yield page.map(({ checksum }) => checksum);
    last = newest.id;
  }
}
