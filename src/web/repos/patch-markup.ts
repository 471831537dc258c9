import { html, type Html } from "../html.ts";

type Kind = "file" | "hunk" | "added" | "removed" | "same";

/** The kind of a line of a patch. Within a hunk, "---" and "+++" are lines that begin with two more signs. */
function kindOf(line: string, inHunk: boolean): Kind {
  if (line.startsWith("@@ ")) {
    return "hunk";
  }
  if (!inHunk) {
    return "file";
  }
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
}

/**
 * The text of a patch, with a class for each run of lines of one kind: `file` for the lines above the hunks of a file,
 * `hunk`, `added` and `removed`. Lines that are the same on both sides have none. The text itself is unchanged.
 */
export function patchMarkup(patch: string): Html {
  const runs: { kind: Kind; text: string }[] = [];
  let inHunk = false;
  for (const line of patch === "" ? [] : patch.split(/(?<=\n)/)) {
    inHunk = line.startsWith("diff --git ") ? false : inHunk || line.startsWith("@@ ");
    const kind = kindOf(line, inHunk);
    const last = runs.at(-1);
    if (last?.kind === kind) {
      last.text += line;
    } else {
      runs.push({ kind, text: line });
    }
  }
  return html`${runs.map(({ kind, text }) => (kind === "same" ? text : html`<span class="patch-${kind}">${text}</span>`))}`;
}
