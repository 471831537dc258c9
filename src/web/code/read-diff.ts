import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import type { DiffedFile, DiffedSide, DiffFilesResult } from "../../git/operations/diff-files.ts";
import type { DiffLine } from "../../git/operations/line-hunks.ts";
import type { Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { colourFiles } from "./colours.ts";
import { diffOptions, whitespaceNames, type DiffOptions } from "./diff-options.ts";
import { markMoved, rowsOf, type DiffRow } from "./diff-rows.ts";

/** One side of a diff: a commit, and the repository in which its files have pages. */
export interface DiffEnd {
  readonly access: RepositoryAccess;
  /** Oid of a commit, hexadecimal. */
  readonly commit: string;
  /** The address of a file, where it is no file of the code. */
  readonly addressOf?: (path: string, view: "src" | "raw" | "media") => string;
}

/** What a diff is between. */
export interface DiffRange {
  readonly view: RepositoryView;
  /** null: nothing, so that all files are new. */
  readonly before: DiffEnd | null;
  readonly after: DiffEnd;
}

/** Lines from one number to another. */
type Lines = readonly [from: number, to: number];

/** What the address asks for: all files from one on, or one with more lines around its changes. */
export interface DiffPart {
  readonly skip: number;
  readonly file: { readonly path: string; readonly shown: readonly Lines[]; readonly skipLines: number } | null;
}

/** A file with what its panel shows. */
export interface ShownFile {
  readonly file: DiffedFile;
  readonly hunks: readonly { readonly heading: string; readonly rows: readonly DiffRow[] }[];
  readonly colours: { readonly before: readonly Html[] | null; readonly after: readonly Html[] | null };
}

export interface Diff extends Omit<DiffFilesResult, "files"> {
  readonly range: DiffRange;
  readonly options: DiffOptions;
  readonly part: DiffPart;
  readonly files: readonly ShownFile[];
}

/** The family's number: what follows is a click away. */
const mostFiles = 300;
const mostLines = 3000;
const usualContext = 3;
/** Wishes for further lines that an address may have. */
const mostShown = 200;
/** Larger files have no colours, bytes. */
const colouredBytes = 512 * 1024;

function wholeNumberOf(text: string | null): number {
  return text !== null && /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
}

/** Reads `?skip=`, or `?file=` with `?show=1-20.60-80` and `?skip-lines=`. What makes no sense is as if it were not there. */
function partOf(query: URLSearchParams): DiffPart {
  const path = query.get("file") ?? "";
  if (path === "") {
    return { skip: wholeNumberOf(query.get("skip")), file: null };
  }
  const shown = (query.get("show") ?? "")
    .split(".", mostShown)
    .map((part) => /^([0-9]{1,7})-([0-9]{1,7})$/.exec(part))
    .flatMap((found) => (found === null ? [] : [[Number(found[1]), Number(found[2])] as const]));
  return { skip: 0, file: { path, shown, skipLines: wholeNumberOf(query.get("skip-lines")) } };
}

/** Reads the part of a diff that the visitor asks for, as they want to see it. `wanted`: lines that are in it in any case. */
export async function readDiff(
  forge: Forge,
  visit: Visit,
  range: DiffRange,
  wanted: readonly DiffLine[] | null = null,
): Promise<Diff> {
  const options = diffOptions(visit);
  const part = partOf(visit.query);
  const { signal } = visit.request;
  const { files, first, total } = await forge.git.engine.call(
    range.view,
    "diffFiles",
    {
      before: range.before?.commit ?? null,
      after: range.after.commit,
      whitespace: whitespaceNames[options.whitespace].means,
      context: usualContext,
      skip: part.skip,
      only: part.file,
      lines: wanted,
      maxFiles: mostFiles,
      maxLines: mostLines,
    },
    signal,
  );
  const hunks = files.map((file) => file.hunks.map((hunk) => ({ heading: hunk.heading, rows: rowsOf(hunk) })));
  markMoved(hunks.flatMap((list) => list.map(({ rows }) => rows)));
  const colours = await readColours(forge, range.view, files, signal);
  const shown = files.map((file, index) => ({ file, hunks: hunks[index]!, colours: colours[index]! }));
  return { range, options, part, files: shown, first, total };
}

async function readColours(
  forge: Forge,
  view: RepositoryView,
  files: readonly DiffedFile[],
  signal: AbortSignal,
): Promise<ShownFile["colours"][]> {
  const read = async (oid: string): Promise<string | null> => {
    const object = await forge.git.engine.call(view, "readObject", { oid, maxBytes: colouredBytes }, signal);
    return object?.bytes == null ? null : Buffer.from(object.bytes).toString();
  };
  const wanted: { oid: string; path: string; read: () => Promise<string | null> }[] = [];
  const want = (side: DiffedSide | null): number | null =>
    side === null || side.size > colouredBytes
      ? null
      : wanted.push({ oid: side.oid, path: side.path, read: () => read(side.oid) }) - 1;
  const places = files.map(({ before, after, hunks }) => {
    // A side of which no line is shown needs none.
    const hasRemoved = hunks.some(({ lines }) => lines.some((line) => line.startsWith("-")));
    return { before: hasRemoved ? want(before) : null, after: hunks.length > 0 ? want(after) : null };
  });
  const coloured = await colourFiles(forge, wanted, signal);
  const at = (place: number | null): readonly Html[] | null => (place === null ? null : (coloured[place] ?? null));
  return places.map(({ before, after }) => ({ before: at(before), after: at(after) }));
}
