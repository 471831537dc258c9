import { isBinary } from "../diff/line-counts.ts";
import type { Steps } from "../job/job.ts";
import { mergeCommits } from "../merge/merge-commits.ts";
import type { ConflictKind } from "../merge/merge-path.ts";
import type { ConflictStage, MergedTree } from "../merge/merge-trees.ts";
import { ObjectOverlay } from "../merge/object-overlay.ts";
import { isOfLines } from "../merge/resolve-conflicts.ts";
import { ObjectType } from "../objects/object-type.ts";
import { parseTree } from "../objects/tree.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ReadConflictsArgs {
  /** hexadecimal oids of commits */
  readonly ours: string;
  readonly theirs: string;
  /** what the sides are called in the markers */
  readonly labels: { readonly ours: string; readonly theirs: string };
  /** files beyond so many are without texts */
  readonly maxFiles: number;
  /** a text of more bytes is left out */
  readonly maxBytes: number;
}

/** A file that could not be merged. */
export interface FileConflict {
  readonly path: string;
  readonly kinds: readonly ConflictKind[];
  readonly stages: readonly ConflictStage[];
  /** The texts, where the conflict is of lines alone; null: it is of more, or the texts are too large, too many or no texts. */
  readonly texts: ConflictTexts | null;
}

export interface ConflictTexts {
  /** null: the common ancestor has no such file. */
  readonly base: Uint8Array | null;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
  /** With the markers of git. */
  readonly merged: Uint8Array;
}

/** The conflicts of a merge of two commits with the texts of both sides; none where they merge. Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly. */
export function* readConflicts(repository: OpenRepository, args: ReadConflictsArgs): Steps<readonly FileConflict[]> {
  const objects = new ObjectOverlay(repository.odb);
  const [ours, theirs] = [commitPosition(repository, args.ours), commitPosition(repository, args.theirs)];
  const merged = yield* mergeCommits(objects, repository.generations, ours, theirs, args.labels);
  return merged.clean
    ? []
    : merged.conflicts.map((conflict, index) => {
        const { path, kinds, stages } = conflict;
        const isShown = index < args.maxFiles && isOfLines(conflict);
        return { path, kinds, stages, texts: isShown ? textsOf(objects, merged, conflict, args.maxBytes) : null };
      });
}

function textsOf(
  objects: ObjectOverlay,
  { tree }: MergedTree,
  { path, stages }: Pick<FileConflict, "path" | "stages">,
  maxBytes: number,
): ConflictTexts | null {
  const oidOf = (stage: 1 | 2 | 3) => stages.find((one) => one.stage === stage)?.oid ?? null;
  const [base, ours, theirs, merged] = [oidOf(1), oidOf(2), oidOf(3), findFile(objects, tree, path.split("/"))].map(
    (oid) => (oid === null || objects.sizeOf(oid) > maxBytes ? null : objects.content(oid, ObjectType.blob)),
  );
  const isText = [base, ours, theirs, merged].every((bytes) => bytes == null || !isBinary(bytes));
  return !isText || ours == null || theirs == null || merged == null || (base == null && oidOf(1) !== null)
    ? null
    : { base: base ?? null, ours, theirs, merged };
}

/** The oid of the file at a path; null where there is none. */
function findFile(objects: ObjectOverlay, tree: string, [name, ...rest]: readonly string[]): string | null {
  for (const entry of parseTree(objects.content(tree, ObjectType.tree), objects.db.format)) {
    if (entry.rawName === undefined && entry.name === name) {
      return rest.length === 0 ? entry.oid : findFile(objects, entry.oid, rest);
    }
  }
  return null;
}
