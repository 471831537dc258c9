import { PatchOutput } from "../diff/patch-output.ts";
import { defaultPatch, writeFilePatch } from "../diff/write-file-patch.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { changedPairs } from "./line-hunks.ts";

export interface SameChangesArgs {
  readonly left: CommitRange;
  readonly right: CommitRange;
}

/** Hexadecimal oids of commits or trees; `before` null: nothing. */
export interface CommitRange {
  readonly before: string | null;
  readonly after: string;
}

/** Patches of more bytes are not compared. */
const maxBytes = 64 * 1024 * 1024;

/** What says where a change is or which objects it makes, and not what it is. */
const places = /^(?:index |@@ )/;

/**
 * Whether two ranges change the same lines in the same surroundings, as a rebase does: their patches are equal but for line numbers and
 * oids. Patches that are too large to be compared count as different. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* sameChanges(repository: OpenRepository, { left, right }: SameChangesArgs): Steps<boolean> {
  if (left.before === right.before && left.after === right.after) {
    return true;
  }
  const leftDigest = yield* digestOf(repository, left);
  return leftDigest !== null && leftDigest === (yield* digestOf(repository, right));
}

function* digestOf({ odb }: OpenRepository, { before, after }: CommitRange): Steps<string | null> {
  const hasher = new Bun.CryptoHasher("sha256");
  const out = new PatchOutput();
  let bytes = 0;
  for (const pair of yield* changedPairs(odb, before, after)) {
    out.cut(0);
    // Whole oids stay for what has no lines: a binary file, a submodule.
    writeFilePatch(odb, pair, { ...defaultPatch, fullIndex: true }, out);
    bytes += out.length;
    if (bytes > maxBytes) {
      return null;
    }
    const text = Buffer.from(out.view()).toString("latin1");
    const isText = text.includes("\n@@ ");
    hasher.update(
      isText
        ? text
            .split("\n")
            .filter((line) => !places.test(line))
            .join("\n")
        : text,
      "latin1",
    );
    yield;
  }
  return hasher.digest("hex");
}
