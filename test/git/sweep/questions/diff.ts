import type { PatchArgs } from "../../../../src/git/operations/patch.ts";
import type { SweepQuestion } from "../sweep-question.ts";

type Options = NonNullable<PatchArgs["options"]>;

const kinds: readonly (readonly [flags: string, Options])[] = [
  ["--no-renames", { renames: null }],
  ["--no-renames --histogram", { renames: null, algorithm: "histogram" }],
  ["--no-renames --minimal", { renames: null, algorithm: "minimal" }],
  ["-M", { renames: { copies: "none" } }],
  ["-M", { renames: { copies: "none" } }],
  ["-M --histogram -U5", { renames: { copies: "none" }, algorithm: "histogram", context: 5 }],
  ["-M70%", { renames: { copies: "none", threshold: 70 } }],
  ["-C", { renames: { copies: "changed" } }],
  ["-C --find-copies-harder --full-index -l200", { renames: { copies: "all", limit: 200 }, fullIndex: true }],
  ["-M -w", { renames: { copies: "none" }, whitespace: "ignore" }],
  ["-M -b --ignore-blank-lines", { renames: { copies: "none" }, whitespace: "ignore-change", ignoreBlankLines: true }],
  ["-M -U0 --ignore-space-at-eol", { renames: { copies: "none" }, whitespace: "ignore-at-eol", context: 0 }],
];

/** Whole patches of two commits, byte by byte. */
export const diff: SweepQuestion = {
  async ask(history, random) {
    const [older, newer] = history.pickPair(random);
    const [before, after] = random.below(8) === 0 ? [newer, older] : [older, newer];
    const [flags, options] = kinds[random.below(kinds.length)]!;
    const command = ["diff", ...flags.split(" "), before, after];
    // No patch is cut off here.
    const limits = { maxFiles: 1e6, maxBytes: 1 << 30, maxMilliseconds: 1e6 };
    return {
      command,
      git: history.bytes(command),
      ours: history.read("patch", { before, after, mail: null, options: { ...options, limits } }),
    };
  },
};
