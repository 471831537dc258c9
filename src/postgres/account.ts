import { spawnSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { findUser, findUserName } from "../lib/libc.ts";
import { NoAccount } from "./errors.ts";

/**
 * The account that the server runs as. PostgreSQL refuses uid 0 and needs a name for its uid. `peer` authentication
 * compares the client's name with a list, so `clients` is the name by which the server sees this process.
 */
export interface Account {
  /** The owner of the cluster's files, as this process sees it. */
  readonly owner: { readonly uid: number; readonly gid: number };
  /** For `node:child_process`. */
  readonly spawn: { readonly uid?: number; readonly gid?: number };
  /** A command that the server's own command is appended to. */
  readonly prefix: readonly string[];
  readonly clients: readonly string[];
}

/** The programs are started with this environment and nothing else, so that nobody's `PGOPTIONS` or locale decides. */
export const cleanEnvironment = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
};

/** A busy machine takes seconds to start a program; a file system that hangs never answers. */
const systemAnswerMs = 60_000;

/** Users that a server started by root may run under, best first. */
const preferredUsers = ["stithy", "postgres", "_postgres", "nobody"];

/**
 * Chooses how the server runs: directly as an ordinary user; as root under another user; where a directory is closed
 * to that user (a 0700 home, `mktemp -d`) in a user namespace in which this user has another number, so that the
 * files stay this user's.
 * @param directory holds the cluster; made by the caller
 * @param programs the directory of the unpacked programs
 * @throws NoAccount when none of them works here; its `directory` is the closed one, if that is why
 */
export function chooseAccount(directory: string, programs: string, clusterOwner: number | null): Account {
  const uid = process.geteuid?.() ?? 0;
  const gid = process.getegid?.() ?? 0;
  const name = findUserName(uid);
  if (uid !== 0 && name !== null) {
    return { owner: { uid, gid }, spawn: {}, prefix: [], clients: [name] };
  }
  const other = otherUser(clusterOwner);
  const namespaced: Account = {
    owner: { uid, gid },
    spawn: {},
    prefix: ["unshare", "--user", `--map-user=${other.uid}`, `--map-group=${other.gid}`, "--"],
    clients: [other.name],
  };
  if (uid !== 0) {
    if (works(namespaced, [directory, programs]).ok) {
      return namespaced;
    }
    throw new NoAccount(
      `PostgreSQL cannot run as user number ${uid}, which has no name on this system: add the user to /etc/passwd, or allow user namespaces`,
    );
  }
  const dropped: Account = {
    owner: other,
    spawn: { uid: other.uid, gid: other.gid },
    prefix: [],
    clients: [name ?? "root"],
  };
  const attempt = works(dropped, [directory, programs]);
  if (attempt.ok) {
    return dropped;
  }
  if (works(namespaced, [directory, programs]).ok) {
    return namespaced;
  }
  if (attempt.closed === null) {
    throw new NoAccount(
      `PostgreSQL does not run as root, and this process may not start it as user "${other.name}": start Stithy as an ordinary user, or give it the capabilities SETUID, SETGID and CHOWN`,
    );
  }
  throw new NoAccount(
    `PostgreSQL does not run as root, and the directory ${attempt.closed} is closed to user "${other.name}" that it would run as: ` +
      `open it with "chmod a+x ${attempt.closed}", choose another data directory, or start Stithy as an ordinary user`,
    attempt.closed,
  );
}

/** The user of an existing cluster if it has a name, else the first preferred one that exists. */
function otherUser(clusterOwner: number | null): { uid: number; gid: number; name: string } {
  const ownerName = clusterOwner === null || clusterOwner === 0 ? null : findUserName(clusterOwner);
  for (const name of ownerName === null ? preferredUsers : [ownerName, ...preferredUsers]) {
    const user = findUser(name);
    if (user !== null && user.uid !== 0) {
      return { ...user, name };
    }
  }
  throw new NoAccount(
    `PostgreSQL does not run as root, and this system has none of the users ${preferredUsers.join(", ")}: add one, or start Stithy as an ordinary user`,
  );
}

/** Asks the system itself, as access lists and security modules may decide otherwise than the mode bits tell. */
function works(account: Account, directories: readonly string[]): { ok: boolean; closed: string | null } {
  const path = directories.flatMap(withParents);
  const script = 'for d; do [ -x "$d" ] || { printf %s "$d"; exit 3; }; done';
  const [command, ...args] = [...account.prefix, "/bin/sh", "-c", script, "sh", ...path];
  const result = spawnSync(command ?? "/bin/sh", args, {
    ...account.spawn,
    env: cleanEnvironment,
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "utf8",
    timeout: systemAnswerMs,
  });
  return { ok: result.status === 0, closed: result.status === 3 ? result.stdout : null };
}

/** A directory with all above it, the root first. */
function withParents(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...withParents(parent), directory];
}

/** Returns the owner of a path, null if it does not exist. */
export function ownerOfPath(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.uid ?? null;
}
