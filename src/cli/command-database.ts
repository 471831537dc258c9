import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { openDatabase, type Database, type DatabaseClient } from "../db/client.ts";
import { parseConnectionUrl, type ConnectionTarget } from "../db/connection-options.ts";
import { migrate, pendingMigrations } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import {
  checkBeforeMigration,
  establishInstallation,
  refuseNewDatabase,
} from "../domain/server/installation/establish-installation.ts";
import { DiskRoom } from "../domain/server/forge/disk-room.ts";
import type { Logger } from "../lib/log.ts";
import { sayAwaited } from "../lib/say-awaited.ts";
import { EmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { DirectoryInUse } from "../postgres/errors.ts";
import { findRunning } from "../postgres/find-running.ts";
import { commandLogger, configOf } from "./command-config.ts";
import { CommandFailure } from "./command-failure.ts";
import type { DataOptions } from "./options.ts";
import { commandText } from "../lib/command-text.ts";

/** A command makes one transaction, and reads beside it at most. */
const connections = 2;

/** The database of a data directory, embedded or external. */
export interface ConnectedDatabase extends DatabaseClient {
  /** True when the database server was started for this command and stops with it: nobody else works on the data. */
  readonly exclusive: boolean;
}

/**
 * Connects to the database that the configuration names: an outside one, the embedded one of the running server, or
 * the embedded one started for this command alone.
 */
export async function connectDatabase(config: Config, log: Logger): Promise<ConnectedDatabase> {
  await using stack = new AsyncDisposableStack();
  const { target, exclusive } = await findDatabase(config, log, stack);
  const client = stack.use(
    openDatabase({ target, connections, statementTimeoutMs: config.database.statement_timeout_seconds * 1000 }),
  );
  const owned = stack.move();
  return { db: client.db, sql: client.sql, target, exclusive, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function findDatabase(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<{ target: ConnectionTarget; exclusive: boolean }> {
  if (config.database.url !== "") {
    return { target: parseConnectionUrl(config.database.url), exclusive: false };
  }
  const directory = join(config.dataDirectory, "postgres");
  if (!existsSync(join(directory, "cluster"))) {
    await refuseNewDatabase(config.dataDirectory, "its embedded database");
  }
  const room = stack.use(new DiskRoom(config.dataDirectory, config.data.reserve_bytes, log));
  for (;;) {
    try {
      const server = await EmbeddedPostgres.start({
        directory,
        cacheDirectory: config.cacheDirectory,
        durable: true,
        log,
        beforeStart: () => room.giveToDatabase(),
      });
      stack.use(server);
      return { target: { ...server.connection, tls: "off" }, exclusive: true };
    } catch (error) {
      if (!(error instanceof DirectoryInUse)) {
        throw error;
      }
      const running = await sayAwaited(log, "the database server of another process", findRunning(directory));
      if (running !== null) {
        return { target: { ...running, tls: "off" }, exclusive: false };
      }
    }
  }
}

/** The context of a command that only reads data. */
export interface CommandContext extends AsyncDisposable {
  readonly config: Config;
  readonly db: Database;
}

/**
 * Connects to the database that a command's options name and sees to it that it has the schema of this version: a new
 * one gets it, and so does one that nobody else works on; the database of a running server is not changed under it.
 * Throws what `checkBeforeMigration` and `establishInstallation` throw when the data directory is not the database's.
 */
export async function openCommand(options: DataOptions): Promise<CommandContext> {
  const config = configOf(options);
  const database = await connectDatabase(config, commandLogger(config));
  try {
    const established = await checkBeforeMigration(database, config.dataDirectory);
    const pending = await pendingMigrations(database.sql);
    if (database.exclusive || pending.includes(migrations[0].name)) {
      await migrate(database.sql);
    } else if (pending.length > 0) {
      throw new CommandFailure(
        `The database is not of this version (these have not run: ${pending.join(", ")}): restart the server with this version, or run "${commandText("migrate")}"`,
      );
    }
    if (established === null) {
      await mkdir(config.dataDirectory, { recursive: true, mode: 0o755 });
      await establishInstallation(database.db, config.dataDirectory, { durable: true });
    }
    return { config, db: database.db, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
