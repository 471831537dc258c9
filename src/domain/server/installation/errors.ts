import { StithyError } from "../../../lib/errors.ts";
import { commandText } from "../../../lib/command-text.ts";

/** How `adopt-directory` is called, for messages. */
const adoptCommand = commandText("admin adopt-directory");

/** An installation, as messages name it. */
export function describeInstallation({ id, name }: { id: string; name: string }): string {
  return `${id} (made at ${name})`;
}

/** The database does not store text as UTF-8. */
export class WrongEncoding extends StithyError {
  constructor(encoding: string) {
    super(
      "invalid",
      "wrong-encoding",
      `The database has the encoding ${encoding}, and Stithy needs UTF8: names and texts could not be searched or sorted. Nothing was changed. Create one with: CREATE DATABASE stithy ENCODING 'UTF8' TEMPLATE template0`,
      { encoding },
    );
  }
}

/** The database has tables that this product did not make. */
export class ForeignTables extends StithyError {
  constructor(tables: readonly string[]) {
    const shown = tables.slice(0, 5).join(", ");
    super(
      "invalid",
      "foreign-tables",
      `The database belongs to another program: it has tables (${shown}${tables.length > 5 ? ", …" : ""}) and none of them is Stithy's table of migrations. Nothing was changed. Create an empty database for Stithy and name it in DATABASE_URL`,
      { tables },
    );
  }
}

/** The database is new, and the data directory has files of an installation. */
export class NewDatabaseBesideFiles extends StithyError {
  constructor(directory: string, database: string) {
    super(
      "invalid",
      "new-database-beside-files",
      `The data directory ${directory} has the files of an installation, and ${database} is new and empty: started so, no repository would be found. Nothing was removed. ` +
        `If the installation uses an outside database, set DATABASE_URL (or database.url) to it; if ${directory}/postgres was lost, restore it from a backup; to begin anew, name an empty directory with --data`,
      { directory },
    );
  }
}

/** Database and data directory belong to two installations. */
export class InstallationMismatch extends StithyError {
  constructor(
    directory: string,
    ofDatabase: { id: string; name: string },
    ofDirectory: { id: string; name: string } | null,
  ) {
    super(
      "invalid",
      "installation-mismatch",
      `The database belongs to the installation ${describeInstallation(ofDatabase)}, and the data directory ${directory} ${
        ofDirectory === null ? "to none" : `to ${describeInstallation(ofDirectory)}`
      }. Nothing was changed. Name the directory that belongs to the database with --data, or the database of the directory in DATABASE_URL. ` +
        `If both were restored from backups of one installation, run "${adoptCommand}"`,
      { directory, database: ofDatabase.id, found: ofDirectory?.id ?? null },
    );
  }
}

/** The data directory knows its installation, and the database, which is not new, knows none. */
export class DatabaseWithoutInstallation extends StithyError {
  constructor(directory: string, ofDirectory: { id: string; name: string }) {
    super(
      "invalid",
      "database-without-installation",
      `The data directory ${directory} belongs to the installation ${describeInstallation(ofDirectory)}, and the database does not say that it does: it is another one, or was restored from a backup of an older version. Nothing was changed. ` +
        `Set DATABASE_URL (or database.url) to the database of this installation; if the database was restored from a backup, run "${adoptCommand}"`,
      { directory, found: ofDirectory.id },
    );
  }
}

/** The file that names the installation cannot be read. */
export class UnreadableInstallation extends StithyError {
  constructor(path: string) {
    super(
      "invalid",
      "unreadable-installation",
      `The file ${path} does not name an installation: it was changed or is damaged. Restore it from a backup, or remove it and run "${adoptCommand}"`,
      { path },
    );
  }
}
