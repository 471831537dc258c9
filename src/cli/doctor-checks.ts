import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { DiskBlobStore } from "../blobs/disk-blob-store.ts";
import { ConfigurationError, type Config } from "../config/config.ts";
import { pendingMigrations } from "../db/migrate.ts";
import { sumBlobBytes } from "../domain/git/blobs/queries.ts";
import { verifyBlobs } from "../domain/git/blobs/verify-blobs.ts";
import { describeInstallation } from "../domain/server/installation/errors.ts";
import { checkBeforeMigration } from "../domain/server/installation/establish-installation.ts";
import { recountUsage } from "../domain/identity/quota/recount-queries.ts";
import { sumPackBytes } from "../domain/git/packs/queries.ts";
import { countFailedPayloads } from "../domain/exchange/hooks/making-queries.ts";
import { countJobs, listJobs } from "../queue/queries.ts";
import { findSealingKey } from "../domain/identity/server-keys/establish-sealing-key.ts";
import { isOpenToOthers, sealingKeyPath } from "../domain/identity/server-keys/sealing-key-file.ts";
import { verifyPacks } from "../domain/git/packs/verify-packs.ts";
import { commandLogger, configOf } from "./command-config.ts";
import { connectDatabase, type ConnectedDatabase } from "./command-database.ts";
import { explainFailure } from "./explain-failure.ts";
import type { DataOptions } from "./options.ts";
import { byteProgress } from "./progress.ts";
import { commandText } from "../lib/command-text.ts";

export interface CheckResult {
  check:
    | "configuration"
    | "data directory"
    | "database"
    | "installation"
    | "migrations"
    | "sealing key"
    | "packs"
    | "blobs"
    | "jobs"
    | "usage";
  ok: boolean;
  /** One line for a person. */
  detail: string;
  /** The faults that were found. */
  problems: string[];
}

const gibibyte = 1024 ** 3;
/** PostgreSQL stops when it cannot write, so this is said before. */
const scarceBytes = gibibyte / 2;

/** Checks one thing after the other; what cannot be looked at because of an earlier fault is left out. */
export async function* runChecks(
  options: DataOptions & { checksums: boolean; recount?: boolean },
): AsyncGenerator<CheckResult> {
  const config = readConfiguration(options);
  if ("check" in config) {
    yield config;
    return;
  }
  yield { check: "configuration", ok: true, detail: config.file ?? "defaults and environment, no file", problems: [] };
  const directory = await checkDirectory(config);
  yield directory;
  if (!directory.ok) {
    return;
  }
  await using stack = new AsyncDisposableStack();
  let database: ConnectedDatabase;
  try {
    database = stack.use(await connectDatabase(config, commandLogger(config)));
    yield await checkDatabase(config, database);
  } catch (error) {
    yield { check: "database", ok: false, detail: explainFailure(error).message, problems: [] };
    return;
  }
  const installation = await checkInstallation(config, database);
  yield installation;
  if (!installation.ok) {
    return;
  }
  const migrations = await checkMigrations(database);
  yield migrations;
  if (migrations.ok) {
    yield await checkSealingKey(config, database);
    yield await checkPacks(config, database, options.checksums);
    yield await checkBlobs(config, database, options.checksums);
    yield await checkJobs(database);
    if (options.recount === true) {
      yield await checkUsage(database);
    }
  }
}

function readConfiguration(options: DataOptions): Config | CheckResult {
  try {
    return configOf(options);
  } catch (error) {
    const problems = error instanceof ConfigurationError ? [...error.problems] : [];
    return {
      check: "configuration",
      ok: false,
      detail: problems.length > 0 ? "it is not valid" : explainFailure(error).message,
      problems,
    };
  }
}

function ofDirectory(ok: boolean, detail: string): CheckResult {
  return { check: "data directory", ok, detail, problems: [] };
}

async function checkDirectory(config: Config): Promise<CheckResult> {
  const { dataDirectory } = config;
  const status = statSync(dataDirectory, { throwIfNoEntry: false });
  if (status?.isDirectory() !== true) {
    return ofDirectory(
      false,
      status === undefined
        ? `${dataDirectory} is not there; "${commandText("serve")}" makes it`
        : `${dataDirectory} is not a directory`,
    );
  }
  try {
    accessSync(dataDirectory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return ofDirectory(false, `${dataDirectory} is closed to this user`);
  }
  if (config.database.url === "" && !existsSync(join(dataDirectory, "postgres", "cluster"))) {
    return ofDirectory(false, `${dataDirectory} has no database yet; "${commandText("serve")}" makes it`);
  }
  const { bavail, bsize } = await statfs(dataDirectory);
  const free = bavail * bsize;
  return ofDirectory(free >= scarceBytes, `${dataDirectory}, ${(free / gibibyte).toFixed(1)} GiB free`);
}

async function checkDatabase(config: Config, { sql, exclusive }: ConnectedDatabase): Promise<CheckResult> {
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
  const which =
    config.database.url !== ""
      ? "an outside server"
      : exclusive
        ? "built in, started for this check"
        : "built in, of the running server";
  return { check: "database", ok: true, detail: `PostgreSQL ${row?.version ?? "?"}, ${which}`, problems: [] };
}

/** Whether the database and the data directory belong together. */
async function checkInstallation(config: Config, database: ConnectedDatabase): Promise<CheckResult> {
  try {
    const found = await checkBeforeMigration(database, config.dataDirectory);
    const detail = found === null ? "none yet; the next start of the server makes it" : describeInstallation(found);
    return { check: "installation", ok: true, detail, problems: [] };
  } catch (error) {
    return { check: "installation", ok: false, detail: explainFailure(error).message, problems: [] };
  }
}

async function checkMigrations({ sql }: ConnectedDatabase): Promise<CheckResult> {
  try {
    const pending = await pendingMigrations(sql);
    const detail =
      pending.length === 0
        ? "all have run"
        : `${pending.length} have not run: "${commandText("migrate")}" or the next start of the server runs them`;
    return { check: "migrations", ok: pending.length === 0, detail, problems: pending };
  } catch (error) {
    return { check: "migrations", ok: false, detail: explainFailure(error).message, problems: [] };
  }
}

function ofSealingKey(ok: boolean, detail: string): CheckResult {
  return { check: "sealing key", ok, detail, problems: [] };
}

/** Whether the key is there that opens the database's sealed values, and is nobody else's to read. */
async function checkSealingKey(config: Config, { db }: ConnectedDatabase): Promise<CheckResult> {
  const path = sealingKeyPath(config);
  try {
    const { inUse, key } = await findSealingKey(db, path);
    if (key !== null && (await isOpenToOthers(path))) {
      return ofSealingKey(false, `${path} is open to other users of this machine: give it mode 600`);
    }
    const detail = inUse
      ? `${path}; a backup needs this file, too`
      : `none yet; the next start of the server makes ${path}`;
    return ofSealingKey(true, detail);
  } catch (error) {
    return ofSealingKey(false, explainFailure(error).message);
  }
}

async function checkPacks(config: Config, { db }: ConnectedDatabase, checksums: boolean): Promise<CheckResult> {
  using progress = byteProgress("Reading packs", checksums ? await sumPackBytes(db) : 0);
  const { packs, bytes, problems } = await verifyPacks(db, join(config.dataDirectory, "packs"), {
    checksums,
    onBytes: (done) => progress.update(done),
  });
  const looked = `${packs} packs, ${bytes} bytes, ${checksums ? "checksums compared" : "sizes compared"}`;
  return {
    check: "packs",
    ok: problems.length === 0,
    detail: problems.length === 0 ? looked : `${problems.length} of ${looked}`,
    problems,
  };
}

async function checkBlobs(config: Config, { db }: ConnectedDatabase, checksums: boolean): Promise<CheckResult> {
  using progress = byteProgress("Reading blobs", checksums ? await sumBlobBytes(db) : 0);
  const store = new DiskBlobStore(join(config.dataDirectory, "blobs"), join(config.dataDirectory, "tmp"));
  const { blobs, bytes, problems } = await verifyBlobs(db, store, {
    checksums,
    onBytes: (done) => progress.update(done),
  });
  const looked = `${blobs} blobs, ${bytes} bytes, ${checksums ? "checksums compared" : "sizes compared"}`;
  return {
    check: "blobs",
    ok: problems.length === 0,
    detail: problems.length === 0 ? looked : `${problems.length} of ${looked}`,
    problems,
  };
}

/** How many wrong sums are told one by one. */
const shownMiscounts = 20;

async function checkUsage({ db }: ConnectedDatabase): Promise<CheckResult> {
  const { owners, miscounts } = await recountUsage(db);
  const looked = `${owners} owners, what they use was added up again`;
  return {
    check: "usage",
    ok: miscounts.length === 0,
    detail: miscounts.length === 0 ? looked : `${miscounts.length} sums are wrong; ${looked}`,
    problems: miscounts
      .slice(0, shownMiscounts)
      .map(({ owner, part, counted, stored }) => `${owner}: ${part} is counted as ${counted} bytes, and is ${stored}`),
  };
}

/** How many dead letters are told one by one. */
const shownJobs = 20;

async function checkJobs({ db }: ConnectedDatabase): Promise<CheckResult> {
  const { waiting, running, dead } = await countJobs(db);
  const letters = await listJobs(db, ["dead"], shownJobs);
  const untold = await countFailedPayloads(db);
  const looked = `${waiting + running} wait or run`;
  return {
    check: "jobs",
    ok: dead + untold === 0,
    detail: dead === 0 ? looked : `${dead} failed for good, ${looked}`,
    problems: [
      ...letters.map(({ id, kind, attempts, lastError }) => {
        const tried = `${attempts} ${attempts === 1 ? "try" : "tries"}`;
        return `Job ${id} (${kind}) failed for good after ${tried}: ${lastError ?? "its process ended each time"}`;
      }),
      ...(untold === 0
        ? []
        : [
            `Webhooks were not told of ${untold} events, whose payloads could not be made; the log says why, and each delivery can be asked for again`,
          ]),
    ],
  };
}
