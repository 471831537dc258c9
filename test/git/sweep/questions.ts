import { aheadBehind } from "./questions/ahead-behind.ts";
import { archive } from "./questions/archive.ts";
import { blame } from "./questions/blame.ts";
import { diff } from "./questions/diff.ts";
import { grep } from "./questions/grep.ts";
import { lastCommits } from "./questions/last-commits.ts";
import { log } from "./questions/log.ts";
import { mail } from "./questions/mail.ts";
import { mergeBase } from "./questions/merge-base.ts";
import { merge } from "./questions/merge.ts";
import { rebase } from "./questions/rebase.ts";
import { stats } from "./questions/stats.ts";
import type { SweepQuestion } from "./sweep-question.ts";

/** By the name that the command takes. */
export const sweepQuestions: Readonly<Record<string, SweepQuestion>> = {
  diff,
  mail,
  stats,
  blame,
  merge,
  rebase,
  archive,
  log,
  grep,
  "merge-base": mergeBase,
  "ahead-behind": aheadBehind,
  "last-commits": lastCommits,
};
