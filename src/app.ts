import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { openDatabase } from "./db/client.ts";
import { parseConnectionUrl, type ConnectionTarget } from "./db/connection-options.ts";
import { migrate } from "./db/migrate.ts";
import { Addresses } from "./domain/spine/addresses.ts";
import { LiveHub } from "./domain/server/live/live-hub.ts";
import { OutboxBell } from "./domain/server/outbox/outbox-bell.ts";
import { QueuePulse } from "./queue/queue-pulse.ts";
import { prepareChange } from "./domain/server/change.ts";
import { YamlReader } from "./lib/yaml/yaml-reader.ts";
import type { Forge } from "./domain/spine/forge.ts";
import { buildFormerNames } from "./domain/server/forge/former-names.ts";
import { buildGitServices } from "./domain/server/forge/git-services.ts";
import { buildIdentity } from "./domain/server/forge/identity.ts";
import { fileDirectories, openServerFiles, prepareFileDirectories } from "./domain/server/forge/server-files.ts";
import { buildOutbound } from "./domain/server/forge/outbound.ts";
import { readServerKeys } from "./domain/server/forge/server-keys.ts";
import { openServerMail } from "./domain/server/forge/server-mail.ts";
import { prepareFindUsersByEmail } from "./domain/git/commits/queries.ts";
import { pingGit } from "./domain/server/health.ts";
import { Readiness } from "./domain/server/readiness.ts";
import {
  checkBeforeMigration,
  createInstallation,
  establishInstallation,
  refuseNewDatabase,
} from "./domain/server/installation/establish-installation.ts";
import { ServerLock } from "./domain/server/installation/server-lock.ts";
import { isOpenToOthers, sealingKeyPath } from "./domain/identity/server-keys/sealing-key-file.ts";
import { readInstanceKey } from "./domain/git/signatures/instance-key.ts";
import { prepareFindFacts } from "./domain/server/forge/find-facts.ts";
import { GitEngine } from "./git/engine.ts";
import { DiskRoom } from "./domain/server/forge/disk-room.ts";
import { CodeColours } from "./highlight/code-colours.ts";
import { StithyError } from "./lib/errors.ts";
import { FileLock } from "./lib/file-lock.ts";
import { JsonParser } from "./lib/json/json-parser.ts";
import { JsonWriter } from "./lib/json/json-writer.ts";
import type { Logger } from "./lib/log.ts";
import { sayAwaited } from "./lib/say-awaited.ts";
import { indexFormats } from "./registries/index-formats.ts";
import { packageDownloadCounts } from "./domain/packages/download-counts.ts";
import { PackageIndexes } from "./domain/packages/package-indexes.ts";
import { PackageKeys } from "./domain/packages/package-keys.ts";
import { MarkdownRenderer } from "./markdown/renderer.ts";
import { EmbeddedPostgres } from "./postgres/embedded-postgres.ts";
import { jobs } from "./jobs/jobs.ts";
import { HostKeys } from "./ssh/host-keys.ts";
import { gitWorkerUrl, indexWorkerUrl, jsonWorkerUrl, textWorkerUrl, yamlWorkerUrl } from "./workers.ts";

/** Everything that runs, except the listening server. Disposing closes it in reverse order: the database last. */
export interface App extends AsyncDisposable {
  readonly forge: Forge;
  /** null: SSH is turned off. */
  readonly hostKeys: HostKeys | null;
  /** Rejects when another server has taken the database over; null where none can. */
  readonly replaced: Promise<never> | null;
}

export interface AppOptions {
  /** False gives up durability for speed: throw-away servers only. */
  durable: boolean;
  /**
   * The hash that passwords of unknown users are compared with, if users have cheaper hashes than usual: tests only.
   */
  decoyHash?: string;
  /** So long a page waits for the colours of code, milliseconds, if it waits longer than usual: tests only. */
  colourPatienceMs?: number;
  /** Resolves to a database that somebody else starts and stops, in place of the configured one. */
  database?: Promise<ConnectionTarget>;
}

/** After a load, the database's processes are most of a server's memory. To connect again takes some 20 ms once. */
const closeIdleSeconds = 30;

/** Another server runs on the data directory. */
class DataDirectoryInUse extends StithyError {
  constructor(directory: string) {
    super(
      "conflict",
      "data-directory-in-use",
      `Another server uses the data directory ${directory}: stop it, or give this one a directory of its own`,
      { directory },
    );
  }
}

/** The composition root: opens the database, the stores and the engine, and brings the schema up to date. */
export async function openApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  const stack = new AsyncDisposableStack();
  const disk: { room: DiskRoom | null } = { room: null };
  try {
    await mkdir(config.dataDirectory, { recursive: true, mode: 0o755 });
    const directories = fileDirectories(config.dataDirectory);
    stack.use(lockDirectory(config.dataDirectory));
    const room = stack.use(
      new DiskRoom(config.dataDirectory, options.durable ? config.data.reserve_bytes : 0, log.child({ part: "disk" })),
    );
    room.hasRoom(true);
    disk.room = room;
    await using early = new AsyncDisposableStack();
    // These go on while the database starts. A failure is heard of when they are waited for, and nothing is written once this has failed.
    const loadingKeys = config.ssh.enabled
      ? HostKeys.load(join(config.dataDirectory, "ssh"), { durable: options.durable, log })
      : null;
    const preparingDirectories = prepareFileDirectories(directories);
    const settled = Promise.allSettled([loadingKeys, preparingDirectories]);
    early.defer(async () => void (await settled));
    const addresses = new Addresses(config.server.base_url || `http://${config.server.host}:${config.server.port}`);
    const instanceKey = await readInstanceKey(config, addresses.hostname);
    const engine = early.use(
      new GitEngine({
        gitWorker: gitWorkerUrl,
        indexWorker: indexWorkerUrl,
        workers: config.git.workers,
        cacheBytes: config.git.cache_bytes,
        shownBytes: config.git.shown_message_bytes,
        signer: instanceKey?.signer ?? null,
        log,
      }),
    );
    // Its first worker loads while the database starts; whether it works is what the health check tells.
    void pingGit(engine).catch(() => {});
    const target = await sayAwaited(log, "the database server", databaseTarget(config, log, options, room, stack));
    const keys = await loadingKeys;
    const hostKeys = keys === null ? null : stack.use(keys);
    await preparingDirectories;

    const database = stack.use(
      openDatabase({
        target,
        connections: config.database.connections,
        statementTimeoutMs: config.database.statement_timeout_seconds * 1000,
        closeIdleSeconds,
      }),
    );
    // A database that somebody else starts was made for this directory a moment ago.
    const isMadeForThis = options.database !== undefined;
    const established = isMadeForThis
      ? null
      : await sayAwaited(log, "the database", checkBeforeMigration(database, config.dataDirectory));
    const migrated = await sayAwaited(log, "the migrations of the database", migrate(database.sql));
    if (migrated.length > 0) {
      log.info({ migrations: migrated }, "Migrated the database");
    }
    // Put on top of the database only now, so that it is closed before it.
    stack.use(early.move());
    const { db } = database;
    const [installation, serverKeys] = await Promise.all([
      isMadeForThis
        ? createInstallation(db, config.dataDirectory)
        : (established ?? establishInstallation(db, config.dataDirectory, { durable: options.durable })),
      readServerKeys(db, sealingKeyPath(config), { durable: options.durable }),
    ]);
    if (await isOpenToOthers(sealingKeyPath(config))) {
      log.warn(
        { path: sealingKeyPath(config) },
        "Other users of this machine may read the sealing key: give it mode 600",
      );
    }
    // The embedded database is in the data directory, which is locked already.
    const lock = config.database.url === "" ? null : stack.use(await ServerLock.take(target, installation.id, log));
    const identity = buildIdentity({ config, db, sealKey: serverKeys.seal, log, decoyHash: options.decoyHash }, stack);
    const files = await openServerFiles(config.dataDirectory, directories, room, log);
    const git = buildGitServices({ engine, db, packDirectory: directories.packDirectory, instanceKey });
    const findUsersByEmail = prepareFindUsersByEmail(db, () => addresses.hostname);
    const findFacts = prepareFindFacts(db, git, findUsersByEmail);
    const bell = new OutboxBell();
    const live = stack.use(new LiveHub());
    const pulse = new QueuePulse(jobs);
    const change = prepareChange({
      db,
      findSubject: identity.findSubject,
      config,
      blobs: files.blobs,
      room,
      findFacts,
      addresses,
      bell,
      live,
      pulse,
      log,
    });
    const packageKeys = new PackageKeys(db, change, serverKeys.seal);
    const forge: Forge = {
      config,
      log,
      database,
      change,
      bell,
      live,
      pulse,
      readiness: new Readiness(),
      addresses,
      git,
      findUsersByEmail,
      findFacts,
      identity,
      formerNames: buildFormerNames(db),
      files,
      mail: await openServerMail(config, stack),
      outbound: buildOutbound(config),
      keys: serverKeys,
      packageKeys,
      packageDownloads: packageDownloadCounts({ change, log }),
      packageIndexes: new PackageIndexes({
        db,
        change,
        blobs: files.blobs,
        keys: packageKeys,
        log,
        formats: indexFormats,
        builds: config.packages.index_builds,
        limitBytes: config.packages.index_limit_bytes,
      }),
      markdown: stack.use(
        new MarkdownRenderer({
          worker: textWorkerUrl,
          threads: config.markdown.threads,
          timeLimitMs: config.markdown.time_limit_milliseconds,
          textLimit: config.markdown.text_limit_characters,
        }),
      ),
      colours: stack.use(new CodeColours({ worker: textWorkerUrl, patienceMs: options.colourPatienceMs })),
      yaml: stack.use(new YamlReader(yamlWorkerUrl)),
      json: stack.use(new JsonParser({ worker: jsonWorkerUrl, maxValues: config.api.values_per_body })),
      jsonWriter: new JsonWriter(config.api.answer_limit_bytes),
    };
    const owned = stack.move();
    return {
      forge,
      hostKeys,
      replaced: lock?.lost ?? null,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw asDiskFull(error, disk.room);
  }
}

/** Returns the failure of a start; a failure caused by a full disk is reported as that. */
function asDiskFull(error: unknown, room: DiskRoom | null): unknown {
  const isKnown = error instanceof StithyError && error.code !== "postgres-failed";
  const shortage = isKnown || room === null ? null : room.explainShortage();
  return shortage === null ? error : new StithyError("full", "disk-full", shortage, {}, { cause: error });
}

/** Two servers on one directory would remove each other's unfinished files. Throws DataDirectoryInUse. */
function lockDirectory(directory: string): FileLock {
  const lock = FileLock.tryAcquire(join(directory, "server.lock"));
  if (lock === null) {
    throw new DataDirectoryInUse(directory);
  }
  return lock;
}

async function databaseTarget(
  config: Config,
  log: Logger,
  options: AppOptions,
  room: DiskRoom,
  stack: AsyncDisposableStack,
): Promise<ConnectionTarget> {
  if (options.database !== undefined) {
    return options.database;
  }
  if (config.database.url !== "") {
    return parseConnectionUrl(config.database.url);
  }
  const directory = join(config.dataDirectory, "postgres");
  if (!existsSync(join(directory, "cluster"))) {
    await refuseNewDatabase(config.dataDirectory, "its embedded database");
  }
  const postgres = stack.use(
    await EmbeddedPostgres.start({
      directory,
      cacheDirectory: config.cacheDirectory,
      durable: options.durable,
      log: log.child({ part: "postgres" }),
      beforeStart: () => room.giveToDatabase(),
    }),
  );
  return { ...postgres.connection, tls: "off" };
}
