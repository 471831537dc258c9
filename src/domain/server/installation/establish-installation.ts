import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Database, DatabaseClient, Reader } from "../../../db/client.ts";
import { inspectTables } from "../../../db/inspect-tables.ts";
import { indexPathOf } from "../../../git/pack/pack-paths.ts";
import { packPath } from "../../git/packs/pack-path.ts";
import {
  DatabaseWithoutInstallation,
  ForeignTables,
  InstallationMismatch,
  NewDatabaseBesideFiles,
  WrongEncoding,
} from "./errors.ts";
import {
  hasStoredFiles,
  readInstallationFile,
  writeInstallationFile,
  type InstallationFile,
} from "./installation-file.ts";
import { lockInstallation } from "../../spine/lock-queries.ts";
import { findInstallation, insertInstallation, linkedPackPages, type Installation } from "./queries.ts";

const pageSize = 1000;

/**
 * Throws NewDatabaseBesideFiles when a data directory has files, or an installation, that a new database would not know.
 * `database` names that one in the message.
 */
export async function refuseNewDatabase(directory: string, database: string): Promise<void> {
  const file = await readInstallationFile(directory);
  if ((file !== null && file.pending !== true) || (await hasStoredFiles(directory))) {
    throw new NewDatabaseBesideFiles(directory, database);
  }
}

/**
 * Looks at a database before the migrations write to it. Returns the installation of both, or null if
 * both are new. Throws WrongEncoding, ForeignTables, NewDatabaseBesideFiles, InstallationMismatch, DatabaseWithoutInstallation and
 * UnreadableInstallation.
 */
export async function checkBeforeMigration(client: DatabaseClient, directory: string): Promise<Installation | null> {
  const [{ migrated, tables, encoding }, file] = await Promise.all([
    inspectTables(client.sql),
    readInstallationFile(directory),
  ]);
  if (encoding !== "UTF8") {
    throw new WrongEncoding(encoding);
  }
  if (migrated) {
    const known = await findInstallation(client.db);
    return (await compare(directory, known, file)) && file?.pending !== true ? known : null;
  }
  if (tables.length > 0) {
    throw new ForeignTables(tables);
  }
  await refuseNewDatabase(directory, "its database");
  return null;
}

/**
 * Answers the installation of a migrated database and its data directory, and makes it where neither has one. Throws what
 * checkBeforeMigration throws; nothing is written then. `durable`: the file survives a power cut.
 */
export async function establishInstallation(
  db: Database,
  directory: string,
  options: { durable: boolean },
): Promise<Installation> {
  const installation = await db.transaction(async (tx) => {
    await lockInstallation(tx);
    // Another process may have made it before this one got the lock.
    const [known, file] = [await findInstallation(tx), await readInstallationFile(directory)];
    if (known !== null && (await compare(directory, known, file))) {
      return known;
    }
    await compare(directory, null, file);
    const made = file ?? newInstallation(directory);
    await writeInstallationFile(directory, { ...made, pending: true }, options.durable);
    await insertInstallation(tx, made);
    return made;
  });
  const { id, name } = installation;
  await writeInstallationFile(directory, { id, name }, options.durable);
  return installation;
}

/**
 * Makes the installation of a database and a data directory that the caller has just made, both of them, for a server
 * that leaves nothing: nothing is compared, and nothing is synced.
 */
export async function createInstallation(db: Database, directory: string): Promise<Installation> {
  const installation = newInstallation(directory);
  await Promise.all([
    db.transaction((tx) => insertInstallation(tx, installation)),
    writeInstallationFile(directory, installation, false),
  ]);
  return installation;
}

/** True when both are of one installation, false when both may get one; throws otherwise. */
async function compare(directory: string, known: Installation | null, file: InstallationFile | null): Promise<boolean> {
  if (known !== null) {
    if (file?.id !== known.id) {
      throw new InstallationMismatch(directory, known, file);
    }
    return true;
  }
  if (file !== null && file.pending !== true) {
    throw new DatabaseWithoutInstallation(directory, file);
  }
  await refuseNewDatabase(directory, "its database");
  return false;
}

/** A random id, and a name that tells a person where it was made. */
export function newInstallation(directory: string): Installation {
  return { id: crypto.randomUUID(), name: `${hostname()}:${directory}` };
}

/** Counts the packs that repositories have, and those of them that are not in a data directory or lack their index. */
export async function findMissingPacks(db: Reader, directory: string): Promise<{ packs: number; missing: number }> {
  const found = { packs: 0, missing: 0 };
  for await (const page of linkedPackPages(db, pageSize)) {
    for (const checksum of page) {
      const path = packPath(join(directory, "packs"), checksum);
      found.packs++;
      if (!existsSync(path) || !existsSync(indexPathOf(path))) {
        found.missing++;
      }
    }
  }
  return found;
}
