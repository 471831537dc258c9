import { diffTrees } from "../diff/tree-diff.ts";
import { affectedFile, type AffectedFile } from "../log/affected-files.ts";
import { hexToBytes } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ChangedFilesArgs {
  /** hexadecimal oids of commits or trees */
  readonly before: string;
  readonly after: string;
  /** further ones are left out */
  readonly maxFiles: number;
}

/** Which files changed from one tree to another, in the order of git. Throws MissingObject, CorruptObject, CorruptPack. */
export function* changedFiles({ odb }: OpenRepository, args: ChangedFilesArgs): Steps<readonly AffectedFile[]> {
  const [before, after] = [args.before, args.after].map((treeish) => hexToBytes(rootTree(odb, treeish)));
  const files: AffectedFile[] = [];
  for (const change of diffTrees(odb, before!, after!)) {
    if (files.length === args.maxFiles) {
      break;
    }
    files.push(affectedFile(change));
    yield;
  }
  return files;
}
