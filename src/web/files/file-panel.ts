import { findEditorconfig } from "../../domain/git/contents/find-editorconfig.ts";
import { findCombinedStates } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { colourFile } from "../code/colours.ts";
import { Html, html } from "../html.ts";
import { checksLink, sourceLink } from "../links.ts";
import { checkMark } from "../parts/check-mark.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { commitLine } from "../repos/directory.ts";
import { StithyError } from "../../lib/errors.ts";
import { fileHead, type HeadFacts } from "./file-head.ts";
import { decodeText } from "./decode-text.ts";
import { hiddenIn, markHidden } from "../code/hidden-characters.ts";
import { codeLines } from "./lines.ts";
import { openFile, type FileContent, type ShownFile } from "./open-file.ts";
import { bytesBody, otherBody } from "./other-kinds.ts";
import { renderingOf } from "./renderings.ts";
import { symbolMenu } from "./symbol-menu.ts";
import { partNav, textNotes } from "./text-notes.ts";
import { partOf, readPart, type TextPart } from "./text-part.ts";

/** The line of a file's panel that names the commit which changed it last. */
async function lastCommit(forge: Forge, { visit, access, revision, file }: ShownFile): Promise<Html> {
  const { view, commit } = revision;
  const last = await forge.git.contents.findLastCommit(view, commit, file.path, visit.request.signal);
  const record = await forge.git.commits.get(view, last?.oid ?? commit);
  const [authors, states] = await Promise.all([
    forge.findUsersByEmail([record.author.email], visit),
    findCombinedStates(forge.database.db, access.repository.id, [record.oid]),
  ]);
  return html`<div class="head">${commitLine(visit, access, record, authors, checkMark(visit, states.get(record.oid), checksLink(visit.root, access, record.oid)))}<a class="button s bare" rel="nofollow" href="${sourceLink(visit.root, access, revision, file.path, "commits")}">${icon(visit, "history")}History</a></div>`;
}

const tabWidths: ReadonlySet<string> = new Set(["1", "2", "3", "4", "6", "8"]);

/** The class for the width of a tab that .editorconfig says; empty where it says none. */
export async function tabClass(forge: Forge, { revision, file }: ShownFile, text: string): Promise<string> {
  if (!text.includes("\t")) {
    return "";
  }
  try {
    const said = await findEditorconfig(forge, revision.view, revision.commit, file.path);
    const width = said?.["tab_width"] ?? said?.["indent_size"] ?? "";
    return tabWidths.has(width) ? ` tab-${width}` : "";
  } catch (error) {
    if (error instanceof StithyError && error.code === "unreadable-editorconfig") {
      return "";
    }
    throw error;
  }
}

/** The most lines of a part that a page shows: each takes a hundred bytes of it, and a file can be nothing but line feeds. */
const mostLines = 50_000;

/** The first lines of a text, as many as a page shows. */
function firstLines(text: string): string {
  let end = -1;
  for (let line = 0; line < mostLines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) {
      return text;
    }
  }
  return text.slice(0, end + 1);
}

/** The coloured lines of a part of a text, with marks where it hides something. `isCut`: it has more than a page shows. */
export async function readLines(forge: Forge, { visit, file }: ShownFile, content: FileContent, part: TextPart) {
  const oid = content.pointer?.oid ?? file.oid;
  const text = firstLines(part.text);
  const isCut = text.length < part.text.length;
  const named = part.parts === 1 && !isCut ? oid : `${oid}:${part.from}-${part.to}`;
  const { lines, symbols } = await colourFile(forge, { oid: named, path: file.path, text }, visit.request.signal);
  const hidden = hiddenIn(part.text);
  return { lines: lines.map(markHidden), symbols, hidden, isCut };
}

/** How many lines the whole text has; null where only a part is shown. */
export function lineCount(part: TextPart, lines: number, isCut: boolean): number | null {
  return part.parts === 1 && !isCut ? lines : null;
}

/** Puts the parts of a file's panel together. */
export async function panelOf(
  forge: Forge,
  shown: ShownFile,
  content: FileContent | null,
  head: HeadFacts,
  body: Html,
): Promise<Html> {
  return html`<section class="panel edge source" aria-label="${shown.file.name}">${await lastCommit(forge, shown)}${fileHead(shown, content, head)}${body}</section>`;
}

/** The views of a text: as it reads, its lines, and who wrote them. */
export function viewsOf(shown: ShownFile, current: "rendered" | "code" | "blame"): HeadFacts["views"] {
  const { visit, access, revision, file } = shown;
  const rendering = renderingOf(file.path);
  const link = (view: "src" | "blame") => sourceLink(visit.root, access, revision, file.path, view);
  const code = { name: "Code", href: `${link("src")}?display=source`, isShown: current === "code" };
  const blame = { name: "Blame", href: link("blame"), isShown: current === "blame" };
  if (rendering === null) {
    return [{ ...code, href: link("src") }, blame];
  }
  const isShown = current === "rendered";
  return rendering.isFirst
    ? [{ name: rendering.name, href: link("src"), isShown }, code, blame]
    : [
        { ...code, href: link("src") },
        { name: rendering.name, href: `${link("src")}?display=rendered`, isShown },
        blame,
      ];
}

async function rendered(forge: Forge, shown: ShownFile, content: FileContent, part: TextPart) {
  const rendering = renderingOf(shown.file.path);
  const display = shown.visit.query.get("display");
  const isWanted = rendering !== null && (display === "rendered" || (rendering.isFirst && display !== "source"));
  if (!isWanted || content.size > rendering.mostBytes) {
    return null;
  }
  const text = part.parts === 1 ? part.text : decodeText(await content.read(0, content.size))?.text;
  return text === undefined ? null : rendering.render(forge, shown, text);
}

async function textPanel(forge: Forge, shown: ShownFile, content: FileContent, part: TextPart): Promise<Html> {
  const { visit, file } = shown;
  const reading = await rendered(forge, shown, content, part);
  if (reading !== null) {
    const count = part.text === "" ? 0 : part.text.split("\n").length - (part.text.endsWith("\n") ? 1 : 0);
    const views = viewsOf(shown, "rendered");
    const head = { lines: count, hasLines: false, views, outline: reading.outline ?? null };
    return panelOf(forge, shown, content, head, reading.body);
  }
  const [{ lines, symbols, hidden, isCut }, tabs] = await Promise.all([
    readLines(forge, shown, content, part),
    tabClass(forge, shown, part.text),
  ]);
  const body = html`${textNotes(visit, part, hidden, isCut)}${codeLines(file.name, lines, part.firstLine, tabs)}${partNav(visit, part, lines.length)}`;
  const head = {
    lines: lineCount(part, lines.length, isCut),
    hasLines: true,
    views: viewsOf(shown, "code"),
    outline: symbolMenu(visit, symbols),
  };
  return panelOf(forge, shown, content, head, body);
}

/** What is shown of a file in place of a text; the text otherwise. */
async function bodyOf(forge: Forge, shown: ShownFile, content: FileContent | null): Promise<Html | TextPart> {
  const other = await otherBody(forge, shown, content);
  if (other !== null || content === null) {
    return other ?? html``;
  }
  const number = partOf(shown.visit.query);
  const part = await readPart(content, number);
  if (part === null) {
    return bytesBody(shown, content, number > 1);
  }
  return part.text === "" && part.parts === 1 ? empty(shown.visit, "file", "This file is empty", null) : part;
}

/** A file: its text, its picture, or what there is to say of it. */
export async function filePanel(forge: Forge, shown: ShownFile): Promise<Html> {
  const content = await openFile(forge, shown);
  const body = await bodyOf(forge, shown, content);
  if (!(body instanceof Html) && content !== null) {
    return textPanel(forge, shown, content, body);
  }
  const head = { lines: null, hasLines: false, views: [], outline: null };
  return panelOf(forge, shown, content, head, body instanceof Html ? body : html``);
}
