import { createHash } from "node:crypto";
import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "./account.ts";
import { port } from "./settings.ts";

/** The paths in the directory of an embedded server. */
export interface Layout {
  readonly directory: string;
  /** Locked while a server of this project runs. */
  readonly lock: string;
  /** PostgreSQL's own data directory. It appears by rename, so it is complete if it is there. */
  readonly cluster: string;
  /** Written anew at each start. */
  readonly configuration: string;
  readonly host: string;
  readonly identity: string;
}

/** A client's and the server's address structure hold 108 bytes (104 on macOS); with a margin for suffixes. */
const socketPathBytes = 90;

/** Makes the directory. Another user than root may have to pass through it, and what it holds protects itself. */
export function prepareLayout(path: string): Layout {
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  if (mkdirSync(path, { recursive: true, mode }) !== undefined) {
    chmodSync(path, mode);
  }
  const directory = realpathSync(path);
  return {
    directory,
    lock: join(directory, "server.lock"),
    cluster: join(directory, "cluster"),
    configuration: join(directory, "postgresql.conf"),
    host: join(directory, "pg_hba.conf"),
    identity: join(directory, "pg_ident.conf"),
  };
}

/** The name of a directory in which a cluster is being made. */
export function unfinishedCluster(layout: Layout): string {
  return `${layout.cluster}.unfinished-${crypto.randomUUID()}`;
}

/** Removes clusters whose making was interrupted. The caller holds the lock. */
export function removeUnfinished(layout: Layout): void {
  for (const name of readdirSync(layout.directory)) {
    if (name.startsWith("cluster.unfinished-")) {
      rmSync(join(layout.directory, name), { recursive: true, force: true });
    }
  }
}

/**
 * An empty directory of mode 0700 for the server's socket: in its directory, or where the socket's path would be too
 * long there, in the system's temporary folder. The caller holds the lock, so what an earlier server left there goes.
 */
export async function prepareSocketDirectory(layout: Layout, account: Account): Promise<string> {
  let directory = join(layout.directory, "run");
  if (Buffer.byteLength(join(directory, `.s.PGSQL.${port}`)) > socketPathBytes) {
    const name = createHash("sha256").update(layout.directory).digest("hex").slice(0, 16);
    directory = join(tmpdir(), `stithy-${name}`);
    const there = lstatSync(directory, { throwIfNoEntry: false });
    // In a folder that all may write to, a known name may have been taken by someone else.
    if (there !== undefined && there.uid !== account.owner.uid && there.uid !== process.geteuid?.()) {
      directory = await mkdtemp(`${directory}-`);
    }
  }
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  chownSync(directory, account.owner.uid, account.owner.gid);
  return directory;
}

/** Gives a cluster to the account that will run it. Its top goes last, so that an interrupted change is taken up again. */
export function giveTo(account: Account, cluster: string): void {
  const { uid, gid } = account.owner;
  if (lstatSync(cluster).uid === uid) {
    return;
  }
  for (const name of readdirSync(cluster, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(cluster, name), uid, gid);
  }
  chownSync(cluster, uid, gid);
}
