import type { CommitRecord } from "../../../git/log/commit-record.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { Turns } from "../../../lib/turns.ts";
import type { Forge } from "../../spine/forge.ts";
import { parsePointer, pointerLimitBytes, type LfsPointer } from "../lfs/pointer.ts";
import type { ContentEntry } from "./content-reader.ts";

/** The shortest file that can be a pointer: its three lines with the shortest size. */
const shortestPointerBytes = 100;

/** Details of entries: the commits that last changed them by oid, and the LFS objects by path. */
export interface EntryDetails {
  commits: ReadonlyMap<string, CommitRecord>;
  pointers: ReadonlyMap<string, LfsPointer>;
}

/** Reads as much of it as is asked for. The commits are read in one call of the engine. */
export async function readDetails(
  forge: Forge,
  view: RepositoryView,
  commit: string,
  entries: readonly ContentEntry[],
  wanted: { commits: boolean; pointers: boolean },
): Promise<EntryDetails> {
  const oids = wanted.commits ? new Set(entries.flatMap(({ lastCommit }) => lastCommit?.oid ?? [])) : [];
  const commits = await forge.git.commits.find(view, [...oids]);
  const pointers = new Map<string, LfsPointer>();
  const turns = new Turns();
  for (const { type, path, size } of wanted.pointers ? entries : []) {
    if (type === "blob" && size !== null && size >= shortestPointerBytes && size < pointerLimitBytes) {
      const file = await forge.git.contents.findFile(view, commit, path);
      const pointer = file?.bytes == null ? null : parsePointer(file.bytes);
      if (pointer !== null) {
        pointers.set(path, pointer);
      }
    }
    if (turns.over) {
      await turns.pass();
    }
  }
  return { commits, pointers };
}
