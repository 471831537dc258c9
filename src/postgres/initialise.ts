import { chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../lib/files.ts";
import type { Logger } from "../lib/log.ts";
import type { Account } from "./account.ts";
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
 * Makes a new cluster: UTF-8, texts ordered by code point with Unicode's rules for upper and lower case, none of
 * which changes with the system's libraries.
 * @throws PostgresFailed when initdb does
 */
export async function initialise(options: { layout: Layout; distribution: Distribution; account: Account; durable: boolean; log: Logger }): Promise<void> {
  const { layout, distribution, account, durable, log } = options;
  const unfinished = unfinishedCluster(layout);
  mkdirSync(unfinished, { mode: 0o700 });
  chownSync(unfinished, account.owner.uid, account.owner.gid);
  const command = [
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
    // Log segments of 1 MB instead of 16 leave less to copy when this becomes a template.
    ...(durable ? [] : ["--no-sync", "--wal-segsize=1"]),
  ];
  const initdb = await startGuarded(account, command, (line) => log.debug({}, line));
  const end = await initdb.ended;
  if (end.code !== 0) {
    throw new PostgresFailed(`The database could not be initialised in ${layout.directory}`, initdb.output);
  }
  await rename(unfinished, layout.cluster);
  syncDirectory(layout.directory);
}
