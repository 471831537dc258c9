import type { SweepQuestion } from "../sweep-question.ts";

/** How many commits each of two has that the other has not. */
export const aheadBehind: SweepQuestion = {
  async ask(history, random) {
    const [base, tip] =
      random.below(2) === 0 ? history.pickPair(random) : [history.pickCommit(random), history.pickCommit(random)];
    const command = ["rev-list", "--left-right", "--count", `${base}...${tip}`];
    const ours = history
      .call("aheadBehind", { pairs: [{ base, tip }] })
      .then(([counts]) => `${counts!.behind}\t${counts!.ahead}\n`);
    return { command, git: history.text(command), ours };
  },
};
