import type { ObjectDatabase } from "../odb/object-database.ts";
import { compareTrees } from "./compare-trees.ts";
import type { RenameOptions } from "./detect-renames.ts";
import { fileStat, formatStats, formatSummary, type FileStat } from "./diff-stat.ts";
import type { FilePair } from "./file-pair.ts";
import { PatchBudget, type PatchLimits, type PatchSteps } from "./patch-budget.ts";
import { PatchOutput } from "./patch-output.ts";
import { writeFilePatch, type PatchOptions } from "./write-file-patch.ts";

export interface StreamPatchOptions extends PatchOptions {
  /** null: a renamed file is one removed and one added */
  readonly renames: RenameOptions | null;
  readonly limits: PatchLimits;
}

/** Patches of so many bytes go together: a message between threads costs as much as comparing a small file. */
const pieceBytes = 32 * 1024;

/** Columns of the statistics in a mail. */
const mailColumns = 72;

/**
 * The patch from one tree to another (null: the empty one), file by file: what `git diff` prints.
 * With `mail`, its text comes first, then the statistics, and the signature comes last, as `git format-patch` has it;
 * there is no mail where nothing changed. `budget` is that of several patches where there are more.
 * Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* streamPatch(
  odb: ObjectDatabase,
  before: Uint8Array | null,
  after: Uint8Array | null,
  options: StreamPatchOptions,
  mail: { readonly text: string; readonly signature: string } | null = null,
  budget: PatchBudget = new PatchBudget(options.limits),
): PatchSteps {
  const renames = options.renames === null ? null : { ...options.renames, until: budget.renamesUntil() };
  const { pairs, truncated } = yield* withoutBytes(
    compareTrees(odb, before, after, { renames, maxFiles: options.limits.maxFiles }),
  );
  if (pairs.length === 0) {
    return;
  }
  if (mail !== null) {
    yield* budget.give(Buffer.from(mail.text));
    yield* statistics(odb, pairs, budget);
  }
  yield* files(odb, pairs, truncated, options, budget);
  if (mail !== null) {
    yield* budget.give(Buffer.from(`-- \n${mail.signature}\n\n`));
  }
}

function* files(
  odb: ObjectDatabase,
  pairs: readonly FilePair[],
  truncated: boolean,
  options: StreamPatchOptions,
  budget: PatchBudget,
): PatchSteps {
  const out = new PatchOutput();
  for (const [number, pair] of pairs.entries()) {
    const start = out.length;
    writeFilePatch(odb, pair, options, out);
    if (!budget.allows(out.length)) {
      out.cut(start);
      out.text(cutLine(`${pairs.length - number}${truncated ? " or more" : ""}`));
      yield* budget.give(out.view());
      return;
    }
    if (out.length < pieceBytes) {
      yield;
      continue;
    }
    yield* budget.give(out.view());
    out.cut(0);
  }
  if (out.length > 0) {
    yield* budget.give(out.view());
  }
  if (truncated) {
    yield* budget.give(Buffer.from(cutLine("more")));
  }
}

/** A line that readers of patches skip as text between two files. */
function cutLine(files: string): string {
  return `\n# The patch is cut off here, as it is too large: ${files} files are left out.\n`;
}

function* statistics(odb: ObjectDatabase, pairs: readonly FilePair[], budget: PatchBudget): PatchSteps {
  const stats: FileStat[] = [];
  for (const pair of pairs) {
    stats.push(fileStat(odb, pair));
    if (!budget.allows(0)) {
      yield* budget.give(Buffer.from("---\n\n"));
      return;
    }
    yield;
  }
  yield* budget.give(Buffer.from(`---\n${formatStats(stats, mailColumns)}${formatSummary(pairs)}\n`));
}

/** Steps of work that makes no bytes, among those of a stream. */
export function* withoutBytes<Result>(steps: Generator<void, Result>): Generator<undefined, Result> {
  let step = steps.next();
  while (step.done !== true) {
    yield undefined;
    step = steps.next();
  }
  return step.value;
}
