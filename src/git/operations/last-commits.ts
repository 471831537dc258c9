import { pathComponents } from "../tree/path-components.ts";
import type { Steps } from "../job/job.ts";
import {
  directoryKey,
  entryKey,
  findKnownAnswer,
  findLastCommitsOf,
  keepAnswer,
  type LastCommit,
} from "./known-last-commits.ts";
import type { OpenRepository } from "./open-repository.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

export interface LastCommitsArgs {
  /** hexadecimal oid of a commit */
  readonly commit: string;
  /** of files and directories; not the root */
  readonly paths: readonly string[];
}

interface Entry {
  readonly directory: string;
  /** as Latin-1 of its bytes */
  readonly name: string;
}

function entryOf(path: string): Entry {
  const name = Buffer.from(pathComponents(path).at(-1) ?? []).toString("latin1");
  const end = trimEndOf(path, "/").lastIndexOf("/");
  return { directory: end < 0 ? "" : path.slice(0, end), name };
}

/**
 * Returns the commits that last changed these paths, as `git log -1 <commit> -- <path>` finds them; null where there is
 * no file. The history is walked once for all paths. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* lastCommits(repository: OpenRepository, args: LastCommitsArgs): Steps<(LastCommit | null)[]> {
  const { commit, paths } = args;
  const answers = new Map<string, LastCommit | null>();
  const open = new Map<string, { names: Set<string>; keys: string[]; paths: Map<string, string> }>();
  const openPaths: string[] = [];
  for (const path of new Set(paths)) {
    const { directory, name } = entryOf(path);
    const known =
      findKnownAnswer(repository, entryKey(path), commit) ??
      findKnownAnswer(repository, directoryKey(directory), commit);
    const index = known?.names.indexOf(name) ?? -1;
    if (known !== null && index >= 0) {
      answers.set(path, known.commits[index] ?? null);
      continue;
    }
    const group = open.get(directory) ?? { names: new Set(), keys: [directoryKey(directory)], paths: new Map() };
    openPaths.push(path);
    group.names.add(name);
    group.keys.push(entryKey(path));
    group.paths.set(name, path);
    open.set(directory, group);
  }
  if (open.size > 0) {
    const asked = [...open].map(([path, { names, keys }]) => ({ path, names, keys }));
    const key = `last-commits-of ${JSON.stringify([commit, openPaths])}`;
    const found = yield* repository.once(key, () => findLastCommitsOf(repository, commit, asked));
    [...open.values()].forEach((group, number) => {
      const { names, commits } = found[number]!;
      names.forEach((name, index) => {
        const path = group.paths.get(name)!;
        const last = commits[index] ?? null;
        answers.set(path, last);
        keepAnswer(repository, entryKey(path), { commit, names: [name], commits: [last] });
      });
    });
  }
  return paths.map((path) => answers.get(path) ?? null);
}
