import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AccountFailures } from "./auth/account-failures.ts";
import { FailedSignIns } from "./auth/failed-sign-ins.ts";
import { prepareFindSubject } from "./auth/find-subject.ts";
import { prepareFindUser } from "./auth/find-user.ts";
import { prepareHasSession } from "./auth/has-session.ts";
import { prepareIdentify } from "./auth/identify/identify.ts";
import { prepareIdentifyKey } from "./auth/identify/identify-key.ts";
import { prepareIdentifySession } from "./auth/identify/identify-session.ts";
import { Kerberos } from "./auth/identify/negotiate.ts";
import { LastUse } from "./auth/last-use.ts";
import { PasswordChecker } from "./auth/password.ts";
import { prepareCheckCode } from "./auth/second-factor.ts";
import { prepareCheckSignIn, prepareFindRemembered } from "./auth/sign-in.ts";
import { DiskBlobStore } from "./blobs/disk-blob-store.ts";
import type { Config } from "./config/config.ts";
import { openDatabase } from "./db/client.ts";
import { parseConnectionUrl, type ConnectionTarget } from "./db/connection-options.ts";
import { migrate } from "./db/migrate.ts";
import { Addresses } from "./domain/addresses.ts";
import { Archives } from "./domain/archives/archives.ts";
import type { Forge } from "./domain/forge.ts";
import { pingGit } from "./domain/health.ts";
import { CommitReader } from "./domain/commits/commit-reader.ts";
import { ContentReader } from "./domain/contents/content-reader.ts";
import { RegularTasks } from "./domain/maintenance/regular-tasks.ts";
import { addStandardTasks } from "./domain/maintenance/standard-tasks.ts";
import { RepositoryViews } from "./domain/packs/repository-views.ts";
import { prepareFindRenamedOwner } from "./domain/owners/queries.ts";
import { prepareFindRedirect } from "./domain/repos/queries.ts";
import { prepareRefQueries } from "./domain/refs/queries.ts";
import { ensureSecret } from "./domain/secrets/queries.ts";
import { SignatureVerifier } from "./domain/signatures/verify-signatures.ts";
import { MailAllowance } from "./domain/users/mail-allowance.ts";
import { Revisions } from "./domain/refs/revisions.ts";
import { GitEngine } from "./git/engine.ts";
import { StithyError } from "./lib/errors.ts";
import { FileLock } from "./lib/file-lock.ts";
import type { Logger } from "./lib/log.ts";
import { emptyWorkingDirectories } from "./lib/working-directory.ts";
import { noMailer, type Mailer } from "./mail/mailer.ts";
import { MarkdownRenderer } from "./markdown/renderer.ts";
import { EmbeddedPostgres } from "./postgres/embedded-postgres.ts";
import { HostKeys } from "./ssh/host-keys.ts";
import { gitWorkerUrl, indexWorkerUrl, markdownWorkerUrl } from "./workers.ts";

/** Everything that runs, except the listening server. Disposing closes it in reverse order: the database last. */
export interface App extends AsyncDisposable {
  readonly forge: Forge;
  /** null: SSH is turned off. */
  readonly hostKeys: HostKeys | null;
  /** The names of the migrations that ran at this start. */
  readonly migrated: readonly string[];
}

export interface AppOptions {
  /** False gives up durability for speed: throw-away servers only. */
  durable: boolean;
  /** Resolves to a database that somebody else starts and stops, in place of the configured one. */
  database?: Promise<ConnectionTarget>;
}

/** Another server runs on the data directory. */
class DataDirectoryInUse extends StithyError {
  constructor(directory: string) {
    super("data-directory-in-use", `Another server uses the data directory ${directory}: stop it, or give this one a directory of its own`, { directory });
  }
}

/** Ordinary documents take milliseconds; the others are given up before anybody else waits long. */
const markdownLimits = { timeLimitMs: 3000, queueLimit: 100, idleMs: 60_000 };

/** More than a person adds addresses, and too few to annoy anybody. */
const mailsPerHour = 30;

/** The composition root: opens the database, the stores and the engine, and brings the schema up to date. */
export async function openApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  const stack = new AsyncDisposableStack();
  try {
    await mkdir(config.dataDirectory, { recursive: true, mode: 0o755 });
    const packDirectory = join(config.dataDirectory, "packs");
    const temporaryDirectory = join(config.dataDirectory, "tmp");
    stack.use(lockDirectory(config.dataDirectory));
    await using early = new AsyncDisposableStack();
    // These go on while the database starts. A failure is heard of when they are waited for, and nothing is written once this has failed.
    const loadingKeys = config.ssh.enabled ? HostKeys.load(join(config.dataDirectory, "ssh"), { durable: options.durable, log }) : null;
    const preparingDirectories = prepareDirectories(packDirectory, temporaryDirectory);
    const settled = Promise.allSettled([loadingKeys, preparingDirectories]);
    early.defer(async () => void (await settled));
    const git = early.use(
      new GitEngine({ gitWorker: gitWorkerUrl, indexWorker: indexWorkerUrl, workers: config.git.workers, cacheBytes: config.git.cache_bytes, log }),
    );
    // Its first worker loads while the database starts; whether it works is what the health check tells.
    void pingGit(git).catch(() => {});
    const target = await databaseTarget(config, log, options, stack);
    const keys = await loadingKeys;
    const hostKeys = keys === null ? null : stack.use(keys);
    await preparingDirectories;

    const database = stack.use(
      openDatabase({ target, connections: config.database.connections, statementTimeoutMs: config.database.statement_timeout_seconds * 1000 }),
    );
    const migrated = await migrate(database.sql, (name) => log.info({ migration: name }, "Migrated the database"));
    // Put on top of the database only now, so that it is closed before it.
    stack.use(early.move());
    const lastUse = stack.use(new LastUse(database.db, log));
    const markdown = stack.use(new MarkdownRenderer({ worker: markdownWorkerUrl, ...markdownLimits }));
    const passwords = new PasswordChecker();
    const findSubject = prepareFindSubject(database.db);
    const failures = new FailedSignIns(config.auth.failed_sign_ins_per_minute);
    const findUser = prepareFindUser(database.db);
    const accountFailures = new AccountFailures(config.auth.failed_sign_ins_per_account);
    const [sealKey, lfsKey, webKey] = await database.db.transaction(async (tx) => [await ensureSecret(tx, "seal"), await ensureSecret(tx, "lfs-token"), await ensureSecret(tx, "web-form")]);
    const signingIn = { findUser, hasSession: prepareHasSession(database.db), passwords, failures, accountFailures };
    const checkSignIn = prepareCheckSignIn(signingIn);
    const findRemembered = prepareFindRemembered(signingIn);
    const checkCode = prepareCheckCode({ db: database.db, key: sealKey, failures, accountFailures });
    const kerberos = config.kerberos.keytab_file === "" ? null : stack.use(new Kerberos(config.kerberos, join(config.dataDirectory, "kerberos.rcache"), log));
    const identify = prepareIdentify({ findSubject, findUser, checkSignIn, findRemembered, checkCode, checkNegotiation: kerberos?.check ?? null, failures, lastUse });
    const addresses = new Addresses(config.server.base_url || `http://${config.server.host}:${config.server.port}`);
    const views = new RepositoryViews(database.db, packDirectory);
    const refs = prepareRefQueries(database.db);
    const revisions = new Revisions(git, views, refs);
    const forge: Forge = {
      config,
      log,
      database,
      git,
      views,
      refs,
      findRenamedOwner: prepareFindRenamedOwner(database.db),
      findRedirect: prepareFindRedirect(database.db),
      revisions,
      archives: new Archives(git, revisions, refs),
      commits: new CommitReader(git),
      signatures: new SignatureVerifier(),
      contents: new ContentReader(git),
      markdown,
      identify,
      identifyKey: prepareIdentifyKey({ findSubject, lastUse }),
      identifySession: prepareIdentifySession({ db: database.db, findSubject, lastUse, idleHours: config.auth.session_idle_hours }),
      checkSignIn,
      checkCode,
      sealKey,
      lastUse,
      findSubject,
      passwords,
      addresses,
      lfsKey,
      webKey,
      mailer: stack.use(await openMailer(config, log)),
      mailAllowance: new MailAllowance(mailsPerHour),
      tasks: stack.use(new RegularTasks(log)),
      blobs: await DiskBlobStore.open(join(config.dataDirectory, "blobs"), temporaryDirectory),
      packDirectory,
      temporaryDirectory,
    };
    addStandardTasks(forge);
    const owned = stack.move();
    return { forge, hostKeys, migrated, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function prepareDirectories(packDirectory: string, temporaryDirectory: string): Promise<void> {
  await emptyWorkingDirectories(temporaryDirectory);
  await Promise.all([packDirectory, temporaryDirectory].map((path) => mkdir(path, { recursive: true, mode: 0o700 })));
}

/** Without a mail server the library that talks to it is not even loaded. */
async function openMailer({ mail }: Config, log: Logger): Promise<Mailer> {
  const { smtp_host: host, smtp_port: port, smtp_security: security, smtp_user: user, smtp_password: password, from } = mail;
  if (host === "") {
    return noMailer;
  }
  const { SmtpMailer } = await import("./mail/smtp-mailer.ts");
  return new SmtpMailer({ host, port, security, user, password, from }, log);
}

/** Two servers on one directory would remove each other's unfinished files. Throws DataDirectoryInUse. */
function lockDirectory(directory: string): FileLock {
  const lock = FileLock.tryAcquire(join(directory, "server.lock"));
  if (lock === null) {
    throw new DataDirectoryInUse(directory);
  }
  return lock;
}

async function databaseTarget(config: Config, log: Logger, options: AppOptions, stack: AsyncDisposableStack): Promise<ConnectionTarget> {
  if (options.database !== undefined) {
    return options.database;
  }
  if (config.database.url !== "") {
    return parseConnectionUrl(config.database.url);
  }
  const postgres = stack.use(
    await EmbeddedPostgres.start({
      directory: join(config.dataDirectory, "postgres"),
      cacheDirectory: config.cacheDirectory,
      durable: options.durable,
      log: log.child({ part: "postgres" }),
    }),
  );
  return { ...postgres.connection, tls: "off" };
}
