import { isLinkMode, type BinaryPatch, type FilePatch, type Hunk } from "./file-patch.ts";
import { LineReader } from "./line-reader.ts";
import { parseBinaryPatch } from "./parse-binary-patch.ts";
import { isHunkHeader, parseHunk } from "./parse-hunk.ts";
import { readGitPath, readPath, readSidePath } from "./patch-paths.ts";
import { PatchRefused } from "./patch-refused.ts";

const maxFiles = 10_000;

/**
 * Reads a patch as `git apply` does: parts that begin with `diff --git`, or with `---` and `+++` lines, one for each
 * file; text between them, such as that of a mail, is skipped. Throws PatchRefused, also when there is no part.
 */
export function parsePatch(bytes: Uint8Array): FilePatch[] {
  const lines = new LineReader(bytes);
  const files: FilePatch[] = [];
  for (let text = lines.text(); text !== null; text = lines.text()) {
    if (text.startsWith("diff --git ")) {
      files.push(parseGitPart(lines, text.slice("diff --git ".length)));
    } else if (text.startsWith("--- ") && lines.following()?.startsWith("+++ ") === true) {
      files.push(parsePlainPart(lines));
    } else if (isHunkHeader(text)) {
      throw new PatchRefused(`Cannot read the patch: the hunk at line ${lines.number} belongs to no file`, null);
    } else {
      lines.next();
    }
    if (files.length > maxFiles) {
      throw new PatchRefused(`Cannot apply a patch of more than ${maxFiles} files`, null);
    }
  }
  if (files.length === 0) {
    throw new PatchRefused("Cannot find a patch in what was sent: there is no file in it", null);
  }
  return files;
}

/** The lines after `diff --git`, as far as they are read. */
interface Header {
  from: string | null | undefined;
  to: string | null | undefined;
  copied: boolean;
  isNew: boolean;
  isDeleted: boolean;
  oldMode: number | null;
  mode: number | null;
  oldOid: string;
  newOid: string;
}

function parseGitPart(lines: LineReader, names: string): FilePatch {
  const header: Header = {
    from: undefined,
    to: undefined,
    copied: false,
    isNew: false,
    isDeleted: false,
    oldMode: null,
    mode: null,
    oldOid: "",
    newOid: "",
  };
  let hunks: Hunk[] = [];
  let binary: BinaryPatch | null = null;
  lines.next();
  for (let text = lines.text(); text !== null; text = lines.text()) {
    if (readHeaderLine(header, text)) {
      lines.next();
    } else if (text.startsWith("--- ") && lines.following()?.startsWith("+++ ") === true) {
      readAgreedSides(lines, header, names);
      hunks = parseHunks(lines, header.to ?? header.from ?? "");
      break;
    } else if (text === "GIT binary patch") {
      lines.next();
      binary = parseBinaryPatch(lines, header);
      break;
    } else if (/^(?:Binary files|Files) .* differ$/.test(text)) {
      throw new PatchRefused(
        `Cannot apply the patch before line ${lines.number}: it does not hold the binary file that it changes`,
        null,
      );
    } else {
      break;
    }
  }
  const name = header.from === undefined || header.to === undefined ? readGitPath(names) : null;
  const part = complete(header, name, lines, hunks, binary);
  if (part.from === part.to && hunks.length === 0 && binary === null && header.mode === null) {
    throw new PatchRefused(
      `Cannot read the patch of "${part.to}" before line ${lines.number}: it does not say what to change`,
      part.to,
    );
  }
  if (part.mode !== null && part.oldMode !== null && isLinkMode(part.mode) !== isLinkMode(part.oldMode)) {
    throw new PatchRefused(
      `Cannot read the patch of "${part.to}" before line ${lines.number}: a file and a symbolic link do not become each other`,
      part.to,
    );
  }
  return part;
}

function parsePlainPart(lines: LineReader): FilePatch {
  const header: Header = {
    from: undefined,
    to: undefined,
    copied: false,
    isNew: false,
    isDeleted: false,
    oldMode: null,
    mode: null,
    oldOid: "",
    newOid: "",
  };
  const { from, to } = readSides(lines);
  const hunks = parseHunks(lines, to ?? from ?? "");
  // Without git's headers the names of the two sides may differ as those of a file and its backup do.
  return complete({ ...header, from: from === null ? null : (to ?? from), to }, null, lines, hunks, null);
}

function complete(
  header: Header,
  name: string | null,
  lines: LineReader,
  hunks: readonly Hunk[],
  binary: BinaryPatch | null,
): FilePatch {
  const from = header.isNew ? null : (header.from ?? name);
  const to = header.isDeleted ? null : (header.to ?? name);
  const isNamed =
    (from !== null || header.isNew || header.from === null) && (to !== null || header.isDeleted || header.to === null);
  if (!isNamed || (from === null && to === null)) {
    throw new PatchRefused(`Cannot read the patch before line ${lines.number}: it does not name its file`, null);
  }
  return {
    from,
    to,
    copied: header.copied,
    oldMode: header.oldMode,
    mode: header.isDeleted ? null : header.mode,
    hunks,
    binary,
  };
}

/** Takes in one line of a header; false when it is none. */
function readHeaderLine(header: Header, text: string): boolean {
  const match =
    /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|rename old|rename new|similarity index|dissimilarity index|index) (.*)$/.exec(
      text,
    );
  if (match === null) {
    return false;
  }
  const value = match[2]!;
  switch (match[1]) {
    case "old mode":
      header.oldMode = readMode(value);
      break;
    case "new mode":
      header.mode = readMode(value);
      break;
    case "new file mode":
      header.isNew = true;
      header.mode = readMode(value);
      break;
    case "deleted file mode":
      header.isDeleted = true;
      header.oldMode = readMode(value);
      break;
    case "copy from":
      header.copied = true;
      header.from = readPath(value);
      break;
    case "rename from":
    case "rename old":
      header.from = readPath(value);
      break;
    case "copy to":
    case "rename to":
    case "rename new":
      header.to = readPath(value);
      break;
    case "index": {
      const [, oldOid, newOid, mode] = /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d+))?$/.exec(value) ?? [];
      header.oldOid = oldOid ?? "";
      header.newOid = newOid ?? "";
      header.oldMode = mode === undefined ? header.oldMode : readMode(mode);
      break;
    }
  }
  return true;
}

function readMode(text: string): number {
  const mode = /^[0-7]{1,6}$/.test(text) ? Number.parseInt(text, 8) : -1;
  if (mode !== 0o100644 && mode !== 0o100755 && mode !== 0o120000) {
    throw new PatchRefused(
      `Cannot apply a patch that makes something of the mode "${text.slice(0, 20)}": it must be a file or a symbolic link`,
      null,
    );
  }
  return mode;
}

function readSides(lines: LineReader): { from: string | null; to: string | null } {
  const from = readSidePath(lines.text()!.slice(4));
  lines.next();
  const to = readSidePath(lines.text()!.slice(4));
  lines.next();
  return { from, to };
}

function agrees(side: string | null, isNone: boolean, known: string | null | undefined): boolean {
  return (side === null) === isNone && (side === null || known === null || known === undefined || side === known);
}

/** The names of a part with git's header must be those of the header, and /dev/null where that tells of a new or removed file. */
function readAgreedSides(lines: LineReader, header: Header, names: string): void {
  const { number } = lines;
  const { from, to } = readSides(lines);
  const name = readGitPath(names);
  if (!agrees(from, header.isNew, header.from ?? name) || !agrees(to, header.isDeleted, header.to ?? name)) {
    throw new PatchRefused(
      `Cannot read the patch at line ${number}: the names there are not those of its header`,
      null,
    );
  }
  header.from ??= from;
  header.to ??= to;
}

function parseHunks(lines: LineReader, path: string): Hunk[] {
  const hunks: Hunk[] = [];
  while (isHunkHeader(lines.text())) {
    hunks.push(parseHunk(lines, path));
  }
  if (hunks.length === 0) {
    throw new PatchRefused(`Cannot read the patch of "${path}" at line ${lines.number}: it has no hunk`, path);
  }
  return hunks;
}
