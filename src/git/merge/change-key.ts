import { compareTrees } from "../diff/compare-trees.ts";
import { isRegularFile, type FilePair, type FileSide } from "../diff/file-pair.ts";
import { isBinary } from "../diff/line-counts.ts";
import { PatchOutput } from "../diff/patch-output.ts";
import { contentOf } from "../diff/side-content.ts";
import { defaultPatch, writeFilePatch } from "../diff/write-file-patch.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { bytesToHex } from "../objects/oid.ts";

/** Files of one commit that are compared with those of another; a commit that changes more is like no other. */
const mostFiles = 10_000;
const mostPatchBytes = 16 * 1024 * 1024;

/** The files that a commit changes against its first parent; null for too many. Yields now and then. */
export function* changedPairs(graph: CommitGraph, position: number): Generator<void, readonly FilePair[] | null> {
  const { db } = graph;
  const parent = graph.parentCount(position) === 0 ? null : graph.parentAt(position, 0);
  const [before, after] = [parent, position].map((at) => (at === null ? null : db.oidAt(graph.treeOf(at)))) as [
    Uint8Array | null,
    Uint8Array,
  ];
  const { pairs, truncated } = yield* compareTrees(db, before, after, { renames: null, maxFiles: mostFiles });
  return truncated ? null : pairs;
}

/** Which files are changed and how their modes are: commits of different ones make different changes. */
export function pathsKey(pairs: readonly FilePair[]): string {
  return JSON.stringify(
    pairs.map(({ before, after }) => [nameOf((before ?? after)!), before?.mode ?? 0, after?.mode ?? 0]),
  );
}

/**
 * The changes as such: lines that go and come with those around them, without blanks and line numbers. Equal for commits
 * that git takes for the same change (git-patch-id(1)); null for what is too large to compare.
 */
export function* changesKey(graph: CommitGraph, pairs: readonly FilePair[]): Generator<void, string | null> {
  const { db } = graph;
  const hash = new Bun.CryptoHasher("sha256");
  for (const pair of pairs) {
    hash.update(`${pathsKey([pair])}\0`);
    const sides = [pair.before, pair.after].map((side) => contentOf(db, side));
    if (sides.some((content) => content === null || isBinary(content)) || !isText(pair)) {
      hash.update([pair.before, pair.after].map((side) => (side === null ? "" : bytesToHex(side.oid))).join(" "));
    } else {
      const out = new PatchOutput();
      writeFilePatch(db, pair, defaultPatch, out);
      if (out.length > mostPatchBytes) {
        return null;
      }
      for (const line of Buffer.from(out.view()).toString("latin1").split("\n")) {
        if (!/^(?:index |@@ |\\ )/.test(line)) {
          hash.update(line.replaceAll(/[ \t\n\v\f\r]/g, ""));
        }
      }
    }
    yield;
  }
  return hash.digest("hex");
}

function isText({ before, after }: FilePair): boolean {
  return [before, after].every(
    (side) => side === null || isRegularFile(side.mode) || (side.mode & 0o170000) === 0o120000,
  );
}

function nameOf({ path, rawPath }: FileSide): string {
  return rawPath === undefined ? path : bytesToHex(rawPath);
}
