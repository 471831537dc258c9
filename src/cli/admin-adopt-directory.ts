import type { Command } from "commander";
import { CommandFailure } from "./command-failure.ts";
import { exitCodes } from "./exit-codes.ts";
import { dataCommand, type DataOptions } from "./options.ts";
import { printNote, printResult } from "./output.ts";
import { commandText } from "../lib/command-text.ts";

interface Options extends DataOptions {
  yes?: boolean;
}

export function adoptDirectoryCommand(): Command {
  return dataCommand(
    "adopt-directory",
    "Show whether a database and a data directory belong together. With --yes tie them together, for example after a restore. Stop the server first",
    ["stithy admin adopt-directory", "stithy admin adopt-directory --data /srv/stithy --yes"],
  )
    .option("--yes", "write the id of the database's installation into the data directory")
    .action(adopt);
}

async function adopt(options: Options): Promise<void> {
  const [
    { adoptDirectory, checkMigrated, findFit },
    { describeInstallation },
    { migrate },
    { FileLock },
    { commandLogger, configOf },
    { connectDatabase },
    { join },
  ] = await Promise.all([
    import("../domain/server/installation/adopt-directory.ts"),
    import("../domain/server/installation/errors.ts"),
    import("../db/migrate.ts"),
    import("../lib/file-lock.ts"),
    import("./command-config.ts"),
    import("./command-database.ts"),
    import("node:path"),
  ]);
  const config = configOf(options);
  const directory = config.dataDirectory;
  using lock = FileLock.tryAcquire(join(directory, "server.lock"));
  if (lock === null) {
    throw new CommandFailure(`A server uses the data directory ${directory}: stop it first`, exitCodes.inUse);
  }
  await using database = await connectDatabase(config, commandLogger(config));
  await checkMigrated(database, directory);
  await migrate(database.sql);
  const fit = await findFit(database.db, directory);
  const named = (one: { id: string; name: string } | null) => (one === null ? "none" : describeInstallation(one));
  printResult(`installation of the database   ${named(fit.ofDatabase)}`);
  printResult(`installation of the directory  ${named(fit.ofDirectory)}`);
  printResult(`packs                          ${fit.packs - fit.missing} of ${fit.packs} are in ${directory}`);
  if (options.yes !== true) {
    printNote(`Nothing was changed; "${commandText("admin adopt-directory --yes")}" says that they belong together`);
    return;
  }
  const installation = await adoptDirectory(database.db, directory);
  printNote(`The database and ${directory} belong to the installation ${describeInstallation(installation)}`);
}
