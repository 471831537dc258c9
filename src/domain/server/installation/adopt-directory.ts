import type { Database, DatabaseClient } from "../../../db/client.ts";
import { inspectTables } from "../../../db/inspect-tables.ts";
import { ForeignTables, NewDatabaseBesideFiles } from "./errors.ts";
import { findMissingPacks, newInstallation } from "./establish-installation.ts";
import { readInstallationFile, writeInstallationFile, type InstallationFile } from "./installation-file.ts";
import { lockInstallation } from "../../spine/lock-queries.ts";
import { findInstallation, insertInstallation, type Installation } from "./queries.ts";

/** How a database and a data directory fit together. */
export interface Fit {
  ofDatabase: Installation | null;
  ofDirectory: Installation | null;
  /** How many packs repositories have, and how many of them are not in the directory. */
  packs: number;
  missing: number;
}

/** Throws ForeignTables and NewDatabaseBesideFiles for a database that is not this product's, or empty. */
export async function checkMigrated({ sql }: DatabaseClient, directory: string): Promise<void> {
  const { migrated, tables } = await inspectTables(sql);
  if (!migrated) {
    throw tables.length > 0 ? new ForeignTables(tables) : new NewDatabaseBesideFiles(directory, "its database");
  }
}

/** Looks how a migrated database and a data directory fit together. */
export async function findFit(db: Database, directory: string): Promise<Fit> {
  const { packs, missing } = await findMissingPacks(db, directory);
  return {
    ofDatabase: await findInstallation(db),
    ofDirectory: await readable(directory),
    packs,
    missing,
  };
}

/** Makes both of one installation: the database's, else the directory's, else a new one. Nothing else is looked at. */
export async function adoptDirectory(db: Database, directory: string): Promise<Installation> {
  const { id, name } = await db.transaction(async (tx) => {
    await lockInstallation(tx);
    const known = await findInstallation(tx);
    if (known !== null) {
      return known;
    }
    const made = (await readable(directory)) ?? newInstallation(directory);
    await insertInstallation(tx, made);
    return made;
  });
  await writeInstallationFile(directory, { id, name }, true);
  return { id, name };
}

/** A file that cannot be read is written anew. */
async function readable(directory: string): Promise<InstallationFile | null> {
  return readInstallationFile(directory).catch(() => null);
}
