import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { release } from "node:os";
import { join } from "node:path";
import { syncDirectory } from "../lib/files.ts";
import type { Logger } from "../lib/log.ts";
import { type Account, cleanEnvironment } from "./account.ts";
import type { Distribution } from "./distribution.ts";
import { IncompatibleCluster, PostgresFailed } from "./errors.ts";
import { startGuarded } from "./guarded-process.ts";
import { type Layout, unfinishedCluster } from "./layout.ts";
import { role } from "./settings.ts";

/**
 * Whether there is a cluster.
 * @throws IncompatibleCluster when there is one of another major version, or something else in its place
 */
export function hasCluster(layout: Layout, major: string): boolean {
  if (!existsSync(layout.cluster)) {
    return false;
  }
  const versionFile = join(layout.cluster, "PG_VERSION");
  const found = existsSync(versionFile) ? readFileSync(versionFile, "utf8").trim() : null;
  if (found !== major) {
    throw new IncompatibleCluster(layout.cluster, found, major);
  }
  return true;
}

/**
 * Makes a new cluster with this product's database: UTF-8, texts ordered by code point with Unicode's rules for upper
 * and lower case, none of which changes with the system's libraries.
 * @throws PostgresFailed when one of the programs does
 */
export async function initialise(options: {
  layout: Layout;
  distribution: Distribution;
  account: Account;
  durable: boolean;
  log: Logger;
}): Promise<void> {
  const { layout, distribution, account, durable, log } = options;
  const unfinished = unfinishedCluster(layout);
  mkdirSync(unfinished, { mode: 0o700 });
  chownSync(unfinished, account.owner.uid, account.owner.gid);
  const run = async (command: readonly string[]): Promise<void> => {
    const initdb = await startGuarded(account, command, (line) => log.debug({}, line));
    if ((await initdb.ended).code !== 0) {
      throw new PostgresFailed(`The database could not be initialised in ${layout.directory}`, initdb.output);
    }
  };
  await run([
    distribution.initdb,
    `--pgdata=${unfinished}`,
    `--username=${role}`,
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--auth-local=peer",
    "--auth-host=reject",
    "--no-instructions",
    "--no-sync",
    // Log segments of 1 MB instead of 16, and none kept to write over, leave less to copy when this becomes a template.
    ...(durable ? [] : ["--wal-segsize=1", "--set=min_wal_size=2MB", "--set=wal_recycle=off"]),
  ]);
  await arrangeDatabases(options, unfinished);
  if (durable) {
    await run([
      distribution.initdb,
      `--pgdata=${unfinished}`,
      "--sync-only",
      ...(tellsLostWrites() ? ["--sync-method=syncfs"] : []),
    ]);
  }
  await rename(unfinished, layout.cluster);
  syncDirectory(layout.directory);
}

/** Whether syncing the whole file system, which is several times as fast as syncing a thousand files, fails when a write did: Linux 5.8. */
function tellsLostWrites(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return process.platform === "linux" && (major > 5 || (major === 5 && minor >= 8));
}

/**
 * The database that initdb names `postgres` gets this product's name. A throw-away cluster loses those that new ones
 * are copied from: they are two thirds of its files. Without a server, as this takes less time than to start one.
 */
async function arrangeDatabases(
  {
    layout,
    distribution,
    account,
    durable,
  }: { layout: Layout; distribution: Distribution; account: Account; durable: boolean },
  cluster: string,
): Promise<void> {
  const database = durable ? "template1" : "postgres";
  const statements = durable
    ? [`alter database postgres rename to ${role}`]
    : [
        "update pg_database set datistemplate = false",
        "drop database template0",
        "drop database template1",
        // A session cannot rename its own database by the statement for it.
        `update pg_database set datname = '${role}' where datname = current_database()`,
      ];
  const [command = "", ...args] = [
    ...account.prefix,
    distribution.postgres,
    "--single",
    "-F",
    "-c",
    "exit_on_error=true",
    "-D",
    cluster,
    database,
  ];
  const session = spawn(command, args, {
    ...account.spawn,
    env: cleanEnvironment,
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe"],
  });
  const output: string[] = [];
  session.stderr.on("data", (piece: Buffer) => output.push(piece.toString()));
  // It ends before it has read everything when a statement fails; its exit code tells.
  session.stdin.on("error", () => {});
  session.stdin.end(statements.map((statement) => `${statement}\n`).join(""));
  const [code] = (await once(session, "close")) as [number | null];
  if (code !== 0) {
    throw new PostgresFailed(`The databases of a new cluster could not be arranged in ${layout.directory}`, output);
  }
}
