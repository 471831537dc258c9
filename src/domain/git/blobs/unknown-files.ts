import type { Logger } from "../../../lib/log.ts";
import { commandText } from "../../../lib/command-text.ts";

/** Files stay so long after they were written, or after their last row went: who began before may be about to open them. */
export const graceMs = 60 * 60_000;

/** Files of a store that is named in the database, file by file. */
export interface KnownFiles {
  /** The kind of the files, for messages, such as "packs". */
  readonly kind: string;
  /** The names of all files, some at a time. */
  list(): AsyncIterable<readonly string[]>;
  /** Which of these names have a row. */
  known(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** When a file was written, in milliseconds since 1970; null for one that is gone. */
  writtenAt(name: string): Promise<number | null>;
  /** Removes a file while no row of its name can come; false, with nothing done, where there is one. */
  removeUnknown(name: string): Promise<boolean>;
}

/** The result of a look through a store. */
export interface UnknownFiles {
  /** How many files there are. */
  all: number;
  /** How many of them no row names, apart from young ones. */
  unknown: number;
  /** The names of those, as far as they are remembered. */
  names: readonly string[];
}

/** How the collectors may be told apart from a first start, and from what they remove. */
export interface CollectOptions {
  /** In milliseconds; an hour where nothing else is said. */
  graceMs?: number;
  /** How long this process has run, in milliseconds. */
  uptimeMs?: number;
  /** Ends it between two files: then it throws the signal's reason, and what was removed stays removed. */
  signal?: AbortSignal;
}

/** A pass remembers so many names: the rest is left to the next one. */
const rememberedNames = 100_000;
/** Fewer unknown files than this are what crashes leave. */
const ordinaryUnknown = 100;
const ordinaryShare = 0.1;

/** Looks for files that are older than the grace period and that no row names. */
export async function findUnknownFiles(
  files: KnownFiles,
  grace: number = graceMs,
  signal?: AbortSignal,
): Promise<UnknownFiles> {
  const before = Date.now() - grace;
  const found = { all: 0, unknown: 0, names: [] as string[] };
  for await (const names of files.list()) {
    signal?.throwIfAborted();
    found.all += names.length;
    const known = await files.known(names);
    for (const name of names.filter((one) => !known.has(one))) {
      const writtenAt = await files.writtenAt(name);
      if (writtenAt !== null && writtenAt < before) {
        found.unknown++;
        if (found.names.length < rememberedNames) {
          found.names.push(name);
        }
      }
    }
  }
  return found;
}

/** Removes files that were found unknown, unless a row of their name has come meanwhile; answers how many went. */
export async function removeUnknownFiles(
  files: KnownFiles,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const name of names) {
    signal?.throwIfAborted();
    removed += Number(await files.removeUnknown(name));
  }
  return removed;
}

/**
 * Removes what a crash left: old files that no row names. None goes in the first hour of a process, and none in a pass
 * that finds more than a hundred and more than a tenth of all: that is no crash, but a database that lost rows, such as
 * one of an old backup. The log then names the command that removes them. Answers how many were removed.
 */
export async function collectUnknownFiles(
  files: KnownFiles,
  log: Logger,
  { graceMs: grace = graceMs, uptimeMs = performance.now(), signal }: CollectOptions = {},
): Promise<number> {
  if (uptimeMs < graceMs) {
    return 0;
  }
  const { all, unknown, names } = await findUnknownFiles(files, grace, signal);
  if (unknown > ordinaryUnknown && unknown > all * ordinaryShare) {
    log.error(
      { kind: files.kind, all, unknown },
      `${unknown} of ${all} ${files.kind} are not in the database, and none of them was removed: the database may be of an older backup than the files. Restore the newer one; if the files are really left over, "${commandText("admin remove-unknown-files")}" removes them`,
    );
    return 0;
  }
  return removeUnknownFiles(files, names, signal);
}
