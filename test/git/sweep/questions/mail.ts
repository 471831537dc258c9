import type { SweepQuestion } from "../sweep-question.ts";

/** A commit as a mail, with its statistics. */
export const mail: SweepQuestion = {
  async ask(history, random) {
    const [after, ...parents] = history.commits[random.below(history.commits.length)]!;
    // Of merges git makes no mails.
    if (parents.length > 1) {
      return null;
    }
    const command = ["format-patch", "-1", "--stdout", "--root", "--no-binary", "--signature=sweep", after];
    return {
      command,
      git: history.bytes(command),
      ours: history.read("patch", { before: "parent", after, mail: { signature: "sweep" } }),
    };
  },
};
