import { quotePath } from "../../../../src/git/diff/quote-path.ts";
import { blamedLinesOfGit, blamedLinesOfOurs } from "../../blamed-lines.ts";
import type { SweepQuestion } from "../sweep-question.ts";

/** Who wrote each line of a file, in some commit. */
export const blame: SweepQuestion = {
  async ask(history, random) {
    const commit = history.pickCommit(random);
    const files = await history.filesOf(commit);
    const [path, other] = [files[random.below(files.length)], files[random.below(files.length)]];
    if (path === undefined || other === undefined) {
      return null;
    }
    const ignoreWhitespace = random.below(5) === 0;
    const not = random.below(6) === 0 ? [history.pickCommit(random)] : [];
    const command = [
      "blame",
      "--line-porcelain",
      ...(ignoreWhitespace ? ["-w"] : []),
      commit,
      ...not.map((oid) => `^${oid}`),
      "--",
      path,
    ];
    return {
      command,
      git: history.bytes(command).then((bytes) => bytes && blamedLinesOfGit(Buffer.from(bytes).toString()).join("\n")),
      ours: ofOurs(),
    };

    async function ofOurs(): Promise<string> {
      const found = await history.call("blame", { commit, path: path!, ranges: [], not, ignoreWhitespace });
      return blamedLinesOfOurs(found ?? [], (origin) => quotePath(Buffer.from(origin))).join("\n");
    }
  },
};
