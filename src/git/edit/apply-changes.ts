import { ObjectType } from "../objects/object-type.ts";
import { checkNamedFile, findCheckedFile, type CheckedFileName } from "../objects/checked-files.ts";
import type { FiledBytes } from "../pack/filed-bytes.ts";
import { FileMode } from "../objects/tree.ts";
import { checkPath } from "./check-path.ts";
import { EditConflict, InvalidEdit } from "./errors.ts";
import type { NewObjects } from "./new-objects.ts";
import type { FileEntry, TreeEditor } from "./tree-editor.ts";

/** One change of a file or symbolic link. */
export interface FileChange {
  /** create: nothing may be at the path; update: a file must be; put: either; delete: a file must be */
  readonly operation: "create" | "update" | "put" | "delete";
  readonly path: string;
  /** update only: the file is moved from here, and nothing may be at `path` */
  readonly fromPath: string | null;
  /** the content, which may be in a file; null to keep that of the file there is (update), and for delete */
  readonly bytes: Uint8Array | FiledBytes | null;
  /** 0o100644, 0o100755 or 0o120000; null to keep the file's, a new one's being 0o100644 */
  readonly mode: number | null;
  /** the blob that the caller last saw at `fromPath` or `path`; null for whatever is there */
  readonly expectedOid: string | null;
}

/** The file after a change; all null if it was deleted. */
export interface ChangedFile {
  readonly path: string;
  readonly oid: string | null;
  readonly mode: number | null;
}

/** Applies changes one after another. Throws InvalidEdit and EditConflict; the editor is unusable after that. */
export function applyChanges(editor: TreeEditor, objects: NewObjects, changes: readonly FileChange[]): ChangedFile[] {
  return changes.map((change) => {
    const names = checkPath(change.path);
    switch (change.operation) {
      case "create":
        checkNameFree(editor, names);
        return write(editor, objects, change, names, null);
      case "put":
        return write(editor, objects, change, names, fileAt(editor, names));
      case "update":
        return update(editor, objects, change, names);
      case "delete":
        getFile(editor, names, change.expectedOid);
        editor.remove(names);
        return { path: change.path, oid: null, mode: null };
    }
  });
}

function update(editor: TreeEditor, objects: NewObjects, change: FileChange, names: readonly string[]): ChangedFile {
  if (change.fromPath === null || change.fromPath === change.path) {
    return write(editor, objects, change, names, getFile(editor, names, change.expectedOid));
  }
  const from = checkPath(change.fromPath);
  const present = getFile(editor, from, change.expectedOid);
  // Removed first: `a` may become `a/b`.
  editor.remove(from);
  checkNameFree(editor, names);
  return write(editor, objects, change, names, present);
}

function write(
  editor: TreeEditor,
  objects: NewObjects,
  change: FileChange,
  names: readonly string[],
  present: FileEntry | null,
): ChangedFile {
  const mode = change.mode ?? present?.mode ?? FileMode.file;
  if (mode !== FileMode.file && mode !== FileMode.executable && mode !== FileMode.symlink) {
    throw new InvalidEdit(change.path, `Cannot write "${change.path}" with the mode ${mode.toString(8)}`);
  }
  const oid = change.bytes === null ? present?.oid : objects.addBlob(change.bytes);
  if (oid === undefined) {
    throw new InvalidEdit(change.path, `Cannot write the file "${change.path}" without content`);
  }
  const file = findCheckedFile(names.at(-1)!);
  if (file !== null) {
    checkHarmless(file, change, mode);
  }
  editor.put(names, { mode, oid });
  return { path: change.path, oid, mode };
}

/** An edit must not add files that clients of git refuse to receive. */
function checkHarmless(file: CheckedFileName, { path, bytes }: FileChange, mode: number): void {
  const isLink = mode === FileMode.symlink;
  const problem =
    isLink && file === ".gitmodules"
      ? "it must not be a symbolic link"
      : isLink || bytes === null
        ? null
        : problemOf(file, bytes);
  if (problem !== null) {
    throw new InvalidEdit(path, `Cannot write the file "${path}": ${problem}`);
  }
}

function problemOf(file: CheckedFileName, bytes: Uint8Array | FiledBytes): string | null {
  return bytes instanceof Uint8Array
    ? checkNamedFile(file, { type: ObjectType.blob, bytes })
    : `it has ${bytes.size} bytes`;
}

function checkNameFree(editor: TreeEditor, names: readonly string[]): void {
  const present = editor.find(names);
  const path = names.join("/");
  if (present === "tree") {
    throw new EditConflict(
      "file-directory",
      path,
      `Cannot create the file "${path}": there is a directory of that name`,
    );
  }
  if (present !== null) {
    throw new EditConflict("exists", path, `Cannot create the file "${path}": it exists already`);
  }
}

function getFile(editor: TreeEditor, names: readonly string[], expectedOid: string | null): FileEntry {
  const path = names.join("/");
  const file = fileAt(editor, names);
  if (file === null) {
    throw new EditConflict("missing", path, `Cannot change the file "${path}": it does not exist`);
  }
  if (expectedOid !== null && expectedOid !== file.oid) {
    throw new EditConflict(
      "changed",
      path,
      `Cannot change the file "${path}": it is ${file.oid} now and was expected to be ${expectedOid}`,
    );
  }
  return file;
}

/** Null for nothing and for a directory, which `put` then reports. */
function fileAt(editor: TreeEditor, names: readonly string[]): FileEntry | null {
  const present = editor.find(names);
  return present === "tree" ? null : present;
}
