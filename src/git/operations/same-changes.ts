import { PatchOutput } from "../diff/patch-output.ts";
import { defaultPatch, writeFilePatch } from "../diff/write-file-patch.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { changedPairs } from "./line-hunks.ts";

export interface SameChangesArgs {
  readonly of: CommitRange;
  readonly others: readonly CommitRange[];
}

/** Hexadecimal oids of commits or trees; `before` null: nothing. */
export interface CommitRange {
  readonly before: string | null;
  readonly after: string;
}

/** Patches of more bytes are not compared. */
const maxBytes = 64 * 1024 * 1024;

/**
 * The line that names the objects of a change. The place of a change counts, because equal lines can mean something
 * else elsewhere.
 */
const objects = /^index /;

/**
 * Which ranges change the same lines at the same places as one does, as before and after most rebases: their patches are equal but for
 * oids. Patches that are too large to be compared count as different. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* sameChanges(repository: OpenRepository, { of, others }: SameChangesArgs): Steps<readonly boolean[]> {
  const wanted = yield* digestOf(repository, of);
  const same: boolean[] = [];
  for (const one of others) {
    const isSame = one.before === of.before && one.after === of.after;
    same.push(isSame || (wanted !== null && wanted === (yield* digestOf(repository, one))));
  }
  return same;
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
            .filter((line) => !objects.test(line))
            .join("\n")
        : text,
      "latin1",
    );
    yield;
  }
  return hasher.digest("hex");
}
