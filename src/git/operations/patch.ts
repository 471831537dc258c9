import { mailText } from "../diff/mail-text.ts";
import { streamPatch, type StreamPatchOptions } from "../diff/stream-patch.ts";
import { readCommitRecord } from "../log/commit-record.ts";
import { parseCommit } from "../objects/commit.ts";
import { hexToBytes } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import { commitPosition } from "./commit-position.ts";
import type { ByteSteps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { patchOptions } from "./patch-options.ts";

export interface PatchArgs {
  /** hexadecimal oid of a commit or tree; null for nothing; "parent" for the first parent of `after`, which is a commit then */
  readonly before: string | null;
  /** hexadecimal oid of a commit or tree */
  readonly after: string;
  /** as a mail that `git am` takes: of `after`, which is a commit then; its last line names `signature` */
  readonly mail: { readonly signature: string } | null;
  /** what differs from git's defaults */
  readonly options?: Partial<StreamPatchOptions>;
}

/** Prints a diff as `git diff` or `git format-patch` does. Throws MissingObject, CorruptObject, CorruptPack. */
export function* patch(repository: OpenRepository, args: PatchArgs): ByteSteps {
  const { odb } = repository;
  const options = patchOptions(args.options);
  const before = args.before === "parent" ? parentOf(repository, args.after) : args.before;
  const trees = [before, args.after].map((treeish) => (treeish === null ? null : hexToBytes(rootTree(odb, treeish))));
  if (args.mail === null) {
    yield* streamPatch(odb, trees[0]!, trees[1]!, options);
    return;
  }
  const commit = readCommitRecord(odb, commitPosition(repository, args.after), "whole");
  yield* streamPatch(odb, trees[0]!, trees[1]!, options, { text: mailText(commit), signature: args.mail.signature });
}

function parentOf({ odb, format }: OpenRepository, oid: string): string | null {
  return parseCommit(odb.readHex(oid).bytes, format).parents[0] ?? null;
}
