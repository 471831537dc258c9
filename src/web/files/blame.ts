import type { EmailOwners } from "../../domain/git/commits/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { BlamedLines } from "../../git/blame/blame-file.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { StithyError } from "../../lib/errors.ts";
import { html, type Html } from "../html.ts";
import { commitLink, sourceLink } from "../links.ts";
import { avatar, letterAvatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { ago } from "../parts/time.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { lineCount, panelOf, readLines, tabClass, viewsOf } from "./file-panel.ts";
import { numberedLines } from "./lines.ts";
import { openFile, type FileContent, type ShownFile } from "./open-file.ts";
import { symbolMenu } from "./symbol-menu.ts";
import { partNav, textNotes } from "./text-notes.ts";
import { partOf, readPart, type TextPart } from "./text-part.ts";

/** A page waits so long for the engine. What was found until then is kept for the next one. */
const longestMs = 10_000;
const tooLong: ReadonlySet<string> = new Set(["diff-too-costly", "share-full", "server-busy"]);
/** Shades from the oldest commit of a file to its newest. */
const shades = 5;

interface Group {
  readonly of: BlamedLines;
  readonly commit: CommitRecord | undefined;
}

/** Finds who wrote lines of a part, with the commits; null where that takes too long. */
async function findBlame(
  forge: Forge,
  { visit, revision, file }: ShownFile,
  { firstLine }: TextPart,
  lines: number,
): Promise<Group[] | null> {
  const { view, commit } = revision;
  const args = {
    commit,
    path: file.path,
    ranges: [{ start: firstLine, end: firstLine + lines - 1 }],
    not: [],
    ignoreWhitespace: false,
  };
  const late = AbortSignal.timeout(longestMs);
  try {
    const found = await forge.git.engine.call(view, "blame", args, AbortSignal.any([visit.request.signal, late]));
    const commits = await forge.git.commits.find(view, [...new Set(found?.map((each) => each.commit))]);
    return (found ?? []).map((of) => ({ of, commit: commits.get(of.commit) }));
  } catch (error) {
    if (late.aborted || (error instanceof StithyError && tooLong.has(error.code))) {
      return null;
    }
    throw error;
  }
}

/** How new a commit is among those of a file: 0 for the oldest, 4 for the newest. */
function shadeOf(groups: readonly Group[]): (commit: CommitRecord | undefined) => number {
  let oldest = Number.POSITIVE_INFINITY;
  let newest = Number.NEGATIVE_INFINITY;
  for (const { commit } of groups) {
    const seconds = commit?.committer.seconds ?? Number.NaN;
    oldest = seconds < oldest ? seconds : oldest;
    newest = seconds > newest ? seconds : newest;
  }
  return (commit) =>
    commit === undefined || newest <= oldest
      ? shades - 1
      : Math.floor(((commit.committer.seconds - oldest) / (newest - oldest)) * (shades - 0.001));
}

/** Who wrote lines that stand together: the commit, and the way to the file as it was before. */
function author({ visit, access }: ShownFile, { of, commit }: Group, authors: EmailOwners): Html {
  if (commit === undefined) {
    return html`<span class="soft">${of.commit.slice(0, 10)}</span>`;
  }
  const { root } = visit;
  const user = authors.find(commit.author.email);
  const picture = user === null ? letterAvatar(commit.author.name, commit.author.name, "s") : avatar(visit, user);
  const title = commitTitle(commit.message);
  const [parent] = commit.parents;
  const before =
    parent === undefined || of.boundary
      ? null
      : html`<a class="before" rel="nofollow" href="${sourceLink(root, access, { kind: "commit", name: parent }, of.path, "blame")}#L${of.originLine}" aria-label="Blame before ${of.commit.slice(0, 10)}" title="Blame before this commit">${icon(visit, "history")}</a>`;
  return html`<a class="by" href="${commitLink(root, access, of.commit)}" title="${user?.name ?? commit.author.name}: ${title}">${picture}<span class="cut grow" dir="auto">${title}</span>${ago(visit, new Date(commit.committer.seconds * 1000))}</a>${before}`;
}

async function blamedLines(
  forge: Forge,
  shown: ShownFile,
  content: FileContent,
  part: TextPart,
): Promise<{ body: Html; lines: number | null; outline: Html | null }> {
  const { visit, file } = shown;
  const [{ lines, symbols, hidden, isCut }, tabs] = await Promise.all([
    readLines(forge, shown, content, part),
    tabClass(forge, shown, part.text),
  ]);
  const groups = await findBlame(forge, shown, part, lines.length);
  if (groups === null) {
    const body = empty(
      visit,
      "history",
      "It takes too long to find who wrote this",
      "The file or its history is very large. Try again in a moment: what was found is kept.",
    );
    return { body, lines: lineCount(part, lines.length, isCut), outline: null };
  }
  const authors = await forge.findUsersByEmail(
    [...new Set(groups.flatMap(({ commit }) => commit?.author.email ?? []))],
    visit,
  );
  const shade = shadeOf(groups);
  const rows = groups.map((group) => {
    const { line, count } = group.of;
    const own = lines.slice(line - part.firstLine, line - part.firstLine + count);
    return html`<div class="who shade-${shade(group.commit)}">${author(shown, group, authors)}</div><code>${numberedLines(own, line)}</code>`;
  });
  const digits = Math.min(String(part.firstLine + lines.length).length, 7);
  return {
    body: html`${textNotes(visit, part, hidden, isCut)}<code-lines class="lines blame code w${digits}${tabs}" tabindex="0" role="region" aria-label="Who wrote the lines of ${file.name}"><div class="table">${rows}</div></code-lines>${partNav(visit, part, lines.length)}`,
    lines: lineCount(part, lines.length, isCut),
    outline: symbolMenu(visit, symbols),
  };
}

/** A file with the commits that its lines are from. */
export async function blamePanel(forge: Forge, shown: ShownFile): Promise<Html> {
  const content = shown.file.type === "blob" ? await openFile(forge, shown) : null;
  // Lines of an LFS object are in no commit.
  const part = content === null || content.pointer !== null ? null : await readPart(content, partOf(shown.visit.query));
  const views = viewsOf(shown, "blame");
  if (content === null || part === null || part.text === "") {
    const body = empty(shown.visit, "file", "Nobody wrote lines here", "Only files of text have lines to look at.");
    return panelOf(forge, shown, content, { lines: null, hasLines: false, views, outline: null }, body);
  }
  const { body, lines, outline } = await blamedLines(forge, shown, content, part);
  return panelOf(forge, shown, content, { lines, hasLines: true, views, outline }, body);
}
