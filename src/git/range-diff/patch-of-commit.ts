import { compareTrees } from "../diff/compare-trees.ts";
import type { FilePair, FileSide } from "../diff/file-pair.ts";
import { PatchOutput } from "../diff/patch-output.ts";
import { quotePath } from "../diff/quote-path.ts";
import { defaultPatch, writeFilePatch } from "../diff/write-file-patch.ts";
import type { Steps } from "../job/job.ts";
import type { CommitRecord } from "../log/commit-record.ts";
import { hexToBytes } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";

/**
 * A commit as git-range-diff(1) compares it: its author, its message and its changes, without what a rebase changes anyway (oids, dates and
 * line numbers). Parts and files begin with a line ` ## name ##`. Text is held as Latin-1, a character for each byte.
 */
export interface CommitPatch {
  readonly text: string;
  /** The changes alone; of a commit without changes, all of it. */
  readonly changes: string;
  /** Lines of the changes that are not empty. */
  readonly size: number;
}

/** More changed files are as if the commit changed none of them. */
const maxFiles = 10_000;
/** How long renames are looked for, ms. */
const renameMs = 1000;
const tabWidth = 8;

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

/** Makes the text of a commit; null where its changes have more bytes than are left. Throws MissingObject, CorruptObject, CorruptPack. */
export function* patchOfCommit(odb: ObjectDatabase, commit: CommitRecord, maxBytes: number): Steps<CommitPatch | null> {
  const [parent] = commit.parents;
  const trees = [parent === undefined ? null : rootTree(odb, parent), commit.tree].map((oid) =>
    oid === null ? null : hexToBytes(oid),
  );
  const renames = { copies: "none", until: performance.now() + renameMs } as const;
  const { pairs } = yield* compareTrees(odb, trees[0]!, trees[1]!, { renames, maxFiles });
  const lines: string[] = [];
  let bytes = 0;
  for (const pair of pairs) {
    const file = linesOfFile(odb, pair);
    bytes += file.reduce((sum, line) => sum + line.length + 1, 0);
    if (bytes > maxBytes) {
      return null;
    }
    lines.push(...file);
    yield;
  }
  const head = ` ## Metadata ##\n${latin1(`Author: ${commit.author.name} <${commit.author.email}>`)}\n\n ## Commit message ##\n${latin1(messageLines(commit.message))}`;
  // The empty line before the first file belongs to none.
  const changes = lines
    .slice(1)
    .map((line) => `${line}\n`)
    .join("");
  const text = changes === "" ? head : `${head}\n${changes}`;
  return { text, changes: changes === "" ? text : changes, size: lines.filter((line) => line !== "").length };
}

/** The message as `git log` shows it: indented, tabs as blanks, without blanks at the ends of lines. */
function messageLines(message: string): string {
  const lines = message.split("\n").map((line) => expandTabs(line).trimEnd());
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return lines
    .slice(Math.max(first, 0), last + 1)
    .map((line) => (line === "" ? "\n" : `    ${line}\n`))
    .join("");
}

function expandTabs(line: string): string {
  let expanded = "";
  for (const character of line) {
    expanded += character === "\t" ? " ".repeat(tabWidth - (expanded.length % tabWidth)) : character;
  }
  return expanded;
}

/** The lines of a file: what became of it, then its hunks. An empty line divides it from the file before it. */
function linesOfFile(odb: ObjectDatabase, pair: FilePair): string[] {
  if (pair.status === "retyped") {
    return [
      ...linesOfFile(odb, { ...pair, status: "removed", after: null }),
      ...linesOfFile(odb, { ...pair, status: "added", before: null }),
    ];
  }
  const out = new PatchOutput();
  writeFilePatch(odb, pair, defaultPatch, out);
  const written = Buffer.from(out.view()).toString("latin1").split("\n").slice(0, -1);
  const hunks = written.findIndex((line) => line.startsWith("@@ "));
  const path = rawPath((pair.after ?? pair.before)!);
  const rest = hunks >= 0 ? written.slice(hunks) : written.some(isBinaryLine) ? [binaryLine(pair)] : [];
  const body = rest.map((line) => {
    const [, heading] = /^@@ [-+0-9, ]+ @@(.*)$/.exec(line) ?? [];
    if (heading === undefined) {
      return line.startsWith("\\") ? ` ${line}` : line;
    }
    return heading === "" ? "@@" : `@@ ${path}:${heading}`;
  });
  return ["", ` ## ${titleOf(pair, path)} ##`, ...body];
}

function titleOf({ before, after, status }: FilePair, path: string): string {
  if (before === null || after === null) {
    return `${path} (${before === null ? "new" : "deleted"})`;
  }
  const name = status === "renamed" ? `${rawPath(before)} => ${path}` : path;
  return before.mode === after.mode ? name : `${name} (mode change ${modeOf(before)} => ${modeOf(after)})`;
}

const modeOf = ({ mode }: FileSide): string => mode.toString(8).padStart(6, "0");
const isBinaryLine = (line: string): boolean => line.startsWith("Binary files ");

function binaryLine({ before, after }: FilePair): string {
  return ` Binary files ${nameOf(before)} and ${nameOf(after)} differ`;
}

const nameOf = (side: FileSide | null): string => (side === null ? "/dev/null" : quotePath(bytesOf(side)));
const bytesOf = ({ path, rawPath: raw }: FileSide): Uint8Array => raw ?? Buffer.from(path);
const rawPath = (side: FileSide): string => Buffer.from(bytesOf(side)).toString("latin1");
