import { AttributesOfPaths } from "../attributes/attributes-of-paths.ts";
import type { FileSide, FileStatus } from "../diff/file-pair.ts";
import type { Steps } from "../job/job.ts";
import { bytesToHex } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import { comparedPairs, pathOf } from "./compare-files.ts";
import { isWrittenByProgram } from "./diff-files.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ListDiffedArgs {
  /** hexadecimal oid of a commit or tree; null for nothing */
  readonly before: string | null;
  /** hexadecimal oid of a commit or tree */
  readonly after: string;
}

/** A file that differs, without its lines. */
export interface ListedFile {
  readonly status: FileStatus;
  readonly path: string;
  /** null unless it was renamed or copied */
  readonly formerPath: string | null;
  /** hexadecimal; null: there is none on that side */
  readonly beforeOid: string | null;
  readonly afterOid: string | null;
  readonly isGenerated: boolean;
}

const oidOf = (side: FileSide | null) => (side === null ? null : bytesToHex(side.oid));

/** All files that `diffFiles` shows in parts, in the same order. Throws MissingObject, CorruptObject, CorruptPack. */
export function* listDiffed(repository: OpenRepository, args: ListDiffedArgs): Steps<readonly ListedFile[]> {
  const pairs = yield* comparedPairs(repository, { ...args, copies: "changed" });
  const attributes = new AttributesOfPaths(repository.odb, rootTree(repository.odb, args.after));
  const files: ListedFile[] = [];
  for (const pair of pairs) {
    const { status, before, after } = pair;
    files.push({
      status,
      path: pathOf(pair),
      formerPath: status === "renamed" || status === "copied" ? before!.path : null,
      beforeOid: oidOf(before),
      afterOid: oidOf(after),
      isGenerated: isWrittenByProgram(attributes, pair),
    });
    yield;
  }
  return files;
}
