import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { checkCommit } from "../../domain/work/reviews/place-comments.ts";
import type { ReviewedPull } from "../../domain/work/reviews/queries.ts";
import type { Typed } from "./forms.ts";

/** A larger file is not read for its lines, bytes. */
const largestFile = 10 * 1024 * 1024;
const mostLines = 200;

/** The text of a comment with a block that has the lines it is on, to be changed there. Throws InvalidInput for a commit of another history. */
export async function suggestedText(
  forge: Forge,
  { repository }: RepositoryAccess,
  pulled: ReviewedPull,
  { on, text, seen }: Typed,
  path: string,
): Promise<string> {
  if (on.kind !== "lines" || seen === null) {
    return text;
  }
  const view = await forge.git.views.current(repository);
  const commit = await checkCommit(forge, view, pulled, seen.after);
  const file = await forge.git.engine.call(view, "readPath", { commit, path, maxBytes: largestFile });
  const lines = file?.bytes == null ? [] : Buffer.from(file.bytes).toString().split(/\r?\n/);
  const chosen = lines.slice(on.from - 1, Math.min(on.line, on.from - 1 + mostLines));
  const longest = Math.max(2, ...chosen.map((line) => /^\s*(`*)/.exec(line)?.[1]?.length ?? 0));
  const fence = "`".repeat(longest + 1);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}suggestion\n${chosen.map((line) => `${line}\n`).join("")}${fence}\n`;
}
