import { dirname } from "node:path";
import { quotePath } from "../../../../src/git/diff/quote-path.ts";
import type { SeededRandom } from "../../../support/random.ts";
import type { SweptHistory } from "../swept-history.ts";
import type { SweepQuestion } from "../sweep-question.ts";

// None that an empty line matches: git then finds a line more than there is, where a file ends in a line feed.
const expressions = [
  "[a-z]+_[a-z]+\\(.*\\);$",
  "^#",
  "^\\s+$",
  "\\<if\\>|\\<for\\>",
  "[0-9]{4,}",
  "^(static|const) ",
  "\\w+@\\w+",
  "TODO|FIXME",
  "\\.$",
  "[[:upper:]]{5}",
  "(ab|c)+d?e",
  '"[^"]*"',
];

/** The lines in which words and expressions are found, everywhere or in some files. */
export const grep: SweepQuestion = {
  async ask(history, random) {
    const treeish = history.pickCommit(random);
    const files = await history.filesOf(treeish);
    if (files.length === 0) {
      return null;
    }
    const kind = random.below(2) === 0 ? "fixed" : "regular";
    const pattern =
      random.below(3) === 0
        ? expressions[random.below(expressions.length)]!
        : await wordOf(history, treeish, files, random, kind);
    if (pattern === "") {
      return null;
    }
    const ignoreCase = random.below(3) === 0;
    const paths = random.below(2) === 0 ? [] : [someFiles(files, random)];
    const [before, after] = random.below(3) === 0 ? [random.below(4), random.below(4)] : [0, 0];
    const flags = [
      "-n",
      "-I",
      "--no-color",
      "--full-name",
      kind === "fixed" ? "-F" : "-E",
      ...(ignoreCase ? ["-i"] : []),
      `-B${before}`,
      `-A${after}`,
    ];
    const command = ["grep", ...flags, "-e", pattern, treeish, "--", ...paths];
    return { command, git: ofGit(history, command), ours: ofOurs() };

    async function ofOurs(): Promise<string> {
      const limits = { matches: 1e7, matchesEach: 1e7, bytes: 1 << 30, milliseconds: 60_000 };
      const { files: found } = await history.call("grep", {
        treeish,
        pattern,
        kind,
        ignoreCase,
        wholeWord: false,
        paths,
        context: { before, after },
        limits,
      });
      return found
        .flatMap(({ path, lines }) => {
          const name = quotePath(Buffer.from(path));
          return lines.map(({ number, isMatch, isCut, text }) => {
            const place = isMatch ? `${name}:${number}:` : `${name}-${number}-`;
            return beginning(place + (isCut ? "" : text));
          });
        })
        .join("\n");
    }
  },
};

async function ofGit(history: SweptHistory, command: readonly string[]): Promise<string | null> {
  const { code, bytes } = await history.git(command);
  const lines = Buffer.from(bytes)
    .toString()
    .split("\n")
    .filter((line) => line !== "--" && line !== "");
  // Each line begins with the commit and a colon.
  return code > 1 ? null : lines.map((line) => beginning(withoutLong(line.slice(line.indexOf(":") + 1)))).join("\n");
}

/** Of longer lines the engine answers a part. */
function withoutLong(line: string): string {
  const [, place = "", text = ""] = /^(.*?[:-]\d+[:-])(.*)$/.exec(line) ?? [];
  return Buffer.byteLength(text) > 2000 ? place : line;
}

function beginning(line: string): string {
  return line.slice(0, 500);
}

/** A word of some file, or a part of one; as an expression with some of its letters left open. */
async function wordOf(
  history: SweptHistory,
  commit: string,
  files: readonly string[],
  random: SeededRandom,
  kind: "fixed" | "regular",
): Promise<string> {
  const text = (await history.text(["cat-file", "blob", `${commit}:${files[random.below(files.length)]!}`])) ?? "";
  const words = text.slice(0, 20_000).match(/\w{2,20}/g) ?? [];
  const word = words[random.below(words.length)] ?? "";
  const cut = random.below(3) === 0 ? word.slice(0, 3) : word;
  return kind === "fixed"
    ? cut
    : cut.replaceAll(/\w/g, (letter) =>
        random.below(4) === 0
          ? ["\\w", ".", `[${letter}_]`, `${letter}+`, `(${letter}|x)`, `${letter}{1,2}`][random.below(6)]!
          : letter,
      );
}

function someFiles(files: readonly string[], random: SeededRandom): string {
  const file = files[random.below(files.length)]!;
  const ending = /\.\w+$/.exec(file)?.[0] ?? "";
  const paths = [file, dirname(file), `*${ending}`, `${dirname(file)}/*${ending}`, `${dirname(file).slice(0, 3)}*`];
  return paths[random.below(paths.length)]!.replace(/^\.(?=$|\/)/, "*");
}
