import type { SweepQuestion } from "../sweep-question.ts";

const letters = { added: "A", removed: "D", modified: "M" };

/** Which files a commit changed, and how many lines. */
export const stats: SweepQuestion = {
  async ask(history, random) {
    const [commit, parent] = history.commits[random.below(history.commits.length)]!;
    const command = [
      "diff-tree",
      "-r",
      "-z",
      "--root",
      "--no-renames",
      "--raw",
      "--numstat",
      "--no-commit-id",
      ...(parent === undefined ? [] : [parent]),
      commit,
    ];
    return { command, git: history.bytes(command).then((bytes) => bytes && ofGit(bytes)), ours: ofOurs() };

    async function ofOurs(): Promise<string> {
      const { commits } = await history.call("log", {
        tips: [commit],
        not: [],
        paths: [],
        skip: 0,
        limit: 1,
        count: false,
        files: true,
        stats: true,
      });
      const [{ files, stats: counted, filesTruncated }] = commits as [(typeof commits)[number]];
      return summary(
        filesTruncated,
        (files ?? []).map(({ status, filename }) => `${letters[status]} ${filename}`),
        counted!.additions,
        counted!.deletions,
      );
    }
  },
};

/** As many files as the engine lists. */
const maxFiles = 3000;

function ofGit(bytes: Uint8Array): string {
  const fields = Buffer.from(bytes).toString().split("\0").filter(Boolean);
  const files: string[] = [];
  let [additions, deletions] = [0, 0];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!;
    if (field.startsWith(":")) {
      files.push(`${field.slice(-1).replace("T", "M")} ${fields[++at]!}`);
    } else {
      const [added = "", deleted = ""] = field.split("\t");
      additions += Number(added) || 0;
      deletions += Number(deleted) || 0;
    }
  }
  return summary(files.length > maxFiles, files.slice(0, maxFiles), additions, deletions);
}

function summary(truncated: boolean, files: readonly string[], additions: number, deletions: number): string {
  return Buffer.from(
    `${additions} added, ${deletions} deleted${truncated ? ", more files" : ""}\n${files.join("\n")}`,
  ).toString("latin1");
}
