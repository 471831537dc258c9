import type { SweepQuestion } from "../sweep-question.ts";

/** Best common ancestors of two commits or more. */
export const mergeBase: SweepQuestion = {
  async ask(history, random) {
    const pair = random.below(3) === 0 ? history.merges[random.below(history.merges.length)]?.slice(1) : undefined;
    const commits = [
      ...(pair ?? history.pickPair(random)),
      ...(random.below(4) === 0 ? [history.pickCommit(random)] : []),
    ];
    const [mode, flag] = (
      [
        ["all", "--all"],
        ["all", "--all"],
        ["octopus", "--octopus"],
        ["independent", "--independent"],
      ] as const
    )[random.below(4)]!;
    const command = ["merge-base", flag, ...(mode === "octopus" ? ["--all"] : []), ...commits];
    const sorted = (oids: readonly string[]): string => (mode === "all" ? oids : oids.toSorted()).join("\n");
    const ofGit = async (): Promise<string | null> => {
      const { code, bytes } = await history.git(command);
      return code > 1 ? null : sorted(Buffer.from(bytes).toString().split("\n").filter(Boolean));
    };
    return { command, git: ofGit(), ours: history.call("mergeBases", { commits, mode }).then(sorted) };
  },
};
