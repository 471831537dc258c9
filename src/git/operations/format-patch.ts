import { mailText } from "../diff/mail-text.ts";
import { PatchBudget } from "../diff/patch-budget.ts";
import { streamPatch, withoutBytes, type StreamPatchOptions } from "../diff/stream-patch.ts";
import { readCommitRecord } from "../log/commit-record.ts";
import { listCommits } from "../log/list-commits.ts";
import { hexToBytes } from "../objects/oid.ts";
import { rootTree } from "../tree/find-path.ts";
import { commitPosition } from "./commit-position.ts";
import type { ByteSteps, Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { patchOptions } from "./patch-options.ts";

export interface FormatPatchArgs {
  /** hexadecimal oid of the last commit */
  readonly tip: string;
  /** hexadecimal oids of commits that are left out with all that they reach */
  readonly not: readonly string[];
  /** the last line of each mail */
  readonly signature: string;
  /** what differs from the defaults of `git format-patch`, which has what binary files became */
  readonly options?: Partial<StreamPatchOptions>;
}

/**
 * A mail for each commit of a range, oldest first, as `git format-patch --stdout` prints them: merges are left out, and a
 * commit that changes nothing is counted and has no mail. Where the limits of the options are reached, it ends with a line
 * that says so. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* formatPatch(repository: OpenRepository, args: FormatPatchArgs): ByteSteps {
  const { odb } = repository;
  const options = patchOptions({ binary: true, ...args.options });
  const budget = new PatchBudget(options.limits);
  const positions = yield* withoutBytes(listSeries(repository, args));
  let separator = "";
  for (const [index, position] of positions.entries()) {
    const commit = readCommitRecord(odb, position, "whole");
    const [parent] = commit.parents;
    const before = parent === undefined ? null : hexToBytes(rootTree(odb, parent));
    const text = mailText(commit, { number: index + 1, total: positions.length });
    const mail = { text: separator + text, signature: args.signature };
    const made = budget.bytes;
    yield* streamPatch(odb, before, hexToBytes(commit.tree), options, mail, budget);
    separator = budget.bytes > made ? "\n" : separator;
    const left = positions.length - index - 1;
    if (left > 0 && !budget.allows(0)) {
      yield Buffer.from(`\n# The patches are cut off here, as they are too large: ${left} commits are left out.\n`);
      return;
    }
    yield;
  }
}

/** Positions of the commits, oldest first. */
function* listSeries(repository: OpenRepository, { tip, not }: FormatPatchArgs): Steps<number[]> {
  const { graph } = repository;
  const selection = {
    tips: [commitPosition(repository, tip)],
    not: not.map((oid) => commitPosition(repository, oid)),
    paths: [],
  };
  const positions = yield* listCommits(graph, selection);
  return positions.filter((position) => graph.parentCount(position) <= 1).toReversed();
}
