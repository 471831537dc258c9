import { quotePath } from "../../../../src/git/diff/quote-path.ts";
import { linesOf } from "../swept-history.ts";
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
    const command = ["blame", "--line-porcelain", ...(ignoreWhitespace ? ["-w"] : []), commit, ...not.map((oid) => `^${oid}`), "--", path];
    return { command, git: history.bytes(command).then((bytes) => bytes && ofGit(bytes)), ours: ofOurs() };

    async function ofOurs(): Promise<string> {
      const found = await history.call("blame", { commit, path: path!, ranges: [], not, ignoreWhitespace });
      return (found ?? [])
        .flatMap(({ commit: oid, originLine, line, count, path: origin, boundary }) => Array.from({ length: count }, (_, at) => `${oid} ${originLine + at} ${line + at} ${quotePath(Buffer.from(origin))}${boundary ? " boundary" : ""}`))
        .join("\n");
    }
  },
};

function ofGit(bytes: Uint8Array): string {
  const lines: string[] = [];
  let [head, path, boundary] = ["", "", ""];
  for (const line of linesOf(bytes)) {
    if (head === "") {
      head = line.split(" ", 3).join(" ");
      boundary = "";
    } else if (line.startsWith("filename ")) {
      path = line.slice("filename ".length);
    } else if (line === "boundary") {
      boundary = " boundary";
    } else if (line.startsWith("\t")) {
      lines.push(`${head} ${path}${boundary}`);
      head = "";
    }
  }
  return lines.join("\n");
}
