import type { ObjectDatabase } from "../odb/object-database.ts";
import { compareTrees } from "./compare-trees.ts";
import type { RenameOptions } from "./detect-renames.ts";
import { fileStat, formatStats, formatSummary, type FileStat } from "./diff-stat.ts";
import type { FilePair } from "./file-pair.ts";
import { PatchOutput } from "./patch-output.ts";
import { writeFilePatch, type PatchOptions } from "./write-file-patch.ts";

/** Bounds on a patch: what is beyond is left out, file by file, and a line at the end says so. */
export interface PatchLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxMilliseconds: number;
}

export const defaultPatchLimits: PatchLimits = {
  maxFiles: 20_000,
  maxBytes: 256 * 1024 * 1024,
  maxMilliseconds: 60_000,
};

export interface StreamPatchOptions extends PatchOptions {
  /** null: a renamed file is one removed and one added */
  readonly renames: RenameOptions | null;
  readonly limits: PatchLimits;
}

/** Patches of so many bytes go together: a message between threads costs as much as comparing a small file. */
const pieceBytes = 32 * 1024;

/** A thousand files that went and a thousand that came, all unlike, take as long as anyone lets them: the rest of the time is for the patch. */
const renameShare = 1 / 4;

/** Columns of the statistics in a mail. */
const mailColumns = 72;

/** Bytes of a patch as they are made, good until the next step; `yield` without bytes is a point where others may go on. */
type PatchSteps = Generator<Uint8Array | undefined, void>;

/**
 * The patch from one tree to another (null: the empty one), file by file: what `git diff` prints.
 * With `mail`, its text comes first, then the statistics, and the signature comes last, as `git format-patch` has it;
 * there is no mail where nothing changed.
 * Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* streamPatch(
  odb: ObjectDatabase,
  before: Uint8Array | null,
  after: Uint8Array | null,
  options: StreamPatchOptions,
  mail: { readonly text: string; readonly signature: string } | null = null,
): PatchSteps {
  const began = performance.now();
  const end = began + options.limits.maxMilliseconds;
  const renames =
    options.renames === null
      ? null
      : { ...options.renames, until: began + options.limits.maxMilliseconds * renameShare };
  const { pairs, truncated } = yield* withoutBytes(
    compareTrees(odb, before, after, { renames, maxFiles: options.limits.maxFiles }),
  );
  if (pairs.length === 0) {
    return;
  }
  if (mail !== null) {
    yield Buffer.from(mail.text);
    yield* statistics(odb, pairs, end);
  }
  yield* files(odb, pairs, truncated, options, end);
  if (mail !== null) {
    yield Buffer.from(`-- \n${mail.signature}\n\n`);
  }
}

function* files(
  odb: ObjectDatabase,
  pairs: readonly FilePair[],
  truncated: boolean,
  options: StreamPatchOptions,
  end: number,
): PatchSteps {
  const out = new PatchOutput();
  let sent = 0;
  for (const [number, pair] of pairs.entries()) {
    const start = out.length;
    writeFilePatch(odb, pair, options, out);
    if (sent + out.length > options.limits.maxBytes || performance.now() > end) {
      out.cut(start);
      out.text(cutLine(`${pairs.length - number}${truncated ? " or more" : ""}`));
      yield out.view();
      return;
    }
    if (out.length < pieceBytes) {
      yield;
      continue;
    }
    sent += out.length;
    yield out.view();
    out.cut(0);
  }
  if (out.length > 0) {
    yield out.view();
  }
  if (truncated) {
    yield Buffer.from(cutLine("more"));
  }
}

/** What a reader of patches takes for text between two files. */
function cutLine(files: string): string {
  return `\n# The patch is cut off here, as it is too large: ${files} files are left out.\n`;
}

function* statistics(odb: ObjectDatabase, pairs: readonly FilePair[], end: number): PatchSteps {
  const stats: FileStat[] = [];
  for (const pair of pairs) {
    stats.push(fileStat(odb, pair));
    if (performance.now() > end) {
      yield Buffer.from("---\n\n");
      return;
    }
    yield;
  }
  yield Buffer.from(`---\n${formatStats(stats, mailColumns)}${formatSummary(pairs)}\n`);
}

function* withoutBytes<Result>(steps: Generator<void, Result>): Generator<undefined, Result> {
  let step = steps.next();
  while (step.done !== true) {
    yield undefined;
    step = steps.next();
  }
  return step.value;
}
