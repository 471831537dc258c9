import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";

interface Options extends DataOptions {
  pending?: boolean;
  json?: boolean;
}

export function migrateCommand(): Command {
  return dataCommand("migrate", "Update the database schema. The server does this itself when it starts", [
    "stithy migrate",
    "stithy migrate --pending",
  ])
    .option("--pending", "print the migrations that would run, and change nothing")
    .addOption(jsonOption())
    .action(migrateDatabase);
}

async function migrateDatabase(options: Options): Promise<void> {
  const [{ migrate, pendingMigrations }, { checkBeforeMigration }, { commandLogger, configOf }, { connectDatabase }] =
    await Promise.all([
      import("../db/migrate.ts"),
      import("../domain/server/installation/establish-installation.ts"),
      import("./command-config.ts"),
      import("./command-database.ts"),
    ]);
  const config = configOf(options);
  await using database = await connectDatabase(config, commandLogger(config));
  await checkBeforeMigration(database, config.dataDirectory);
  const names = options.pending === true ? await pendingMigrations(database.sql) : await migrate(database.sql);
  if (options.json === true) {
    printJson(options.pending === true ? { pending: names } : { migrated: names });
    return;
  }
  names.forEach(printResult);
  if (names.length === 0) {
    printNote("The database is up to date");
  }
}
