import type { BlamedLines } from "../../src/git/blame/blame-file.ts";

/*
 * What was found of each line of a file, as text to compare: commit, line there, line here, path there, and whether it is
 * a boundary.
 */

/** As `git blame --line-porcelain` printed it. */
export function blamedLinesOfGit(printed: string): string[] {
  const lines: string[] = [];
  let [head, path, boundary] = ["", "", ""];
  for (const line of printed.split("\n")) {
    if (line.startsWith("\t")) {
      lines.push(`${head} ${path}${boundary}`);
      head = "";
    } else if (head === "") {
      head = line.split(" ", 3).join(" ");
      boundary = "";
    } else if (line.startsWith("filename ")) {
      path = line.slice("filename ".length);
    } else if (line === "boundary") {
      boundary = " boundary";
    }
  }
  return lines;
}

/** As the engine answered it; git quotes paths that are no plain text. */
export function blamedLinesOfOurs(
  found: readonly BlamedLines[],
  quote: (path: string) => string = (path) => path,
): string[] {
  return found.flatMap(({ commit, originLine, line, count, path, boundary }) =>
    Array.from(
      { length: count },
      (_, at) => `${commit} ${originLine + at} ${line + at} ${quote(path)}${boundary ? " boundary" : ""}`,
    ),
  );
}
