import { addCommit } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { TreeEditor, type FileEntry } from "../edit/tree-editor.ts";
import { placeNotes, readNotePaths } from "../notes/note-tree.ts";
import { objectFormat } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { Signature } from "../objects/signature.ts";
import { FileMode } from "../objects/tree.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import { rootTree } from "../tree/find-path.ts";
import type { PackDestination } from "../pack/staged-pack.ts";
import { stageObjects } from "./stage-objects.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import type { WrittenPack } from "./write-objects.ts";

export interface EditNoteArgs {
  /** hexadecimal oid of the tip of the notes ref; null for the first note */
  readonly notes: string | null;
  /** hexadecimal oid of the annotated object */
  readonly target: string;
  /** the note as it is to be stored; null removes it */
  readonly text: string | null;
  /** author and committer of the commit */
  readonly signature: Signature;
  /** of the commit, as it is to be stored */
  readonly message: string;
  readonly destination: PackDestination;
}

export interface EditNoteResult extends WrittenPack {
  /** the new tip; null when there was no note to remove, and then nothing was written */
  readonly commit: string | null;
}

/**
 * Sets or removes one note and brings all notes to where git has them when there are so many; refs are the caller's.
 * Throws EditConflict (something that is no note is in the way), MissingObject, CorruptObject, CorruptPack.
 */
export async function editNote(
  view: RepositoryView,
  args: EditNoteArgs,
  caches: EngineCaches,
): Promise<EditNoteResult> {
  const format = objectFormat(view.format);
  using odb = ObjectDatabase.open(format, view.packs, caches);
  const { target, text, signature, message } = args;
  const before = args.notes === null ? null : rootTree(odb, args.notes);
  const paths = before === null ? new Map<string, string>() : readNotePaths(odb, before);
  if (text === null && !paths.has(target)) {
    return { commit: null, pack: null };
  }
  const objects = new NewObjects(odb);
  const editor = new TreeEditor(odb, before);
  const targets = new Set(paths.keys());
  if (text === null) {
    targets.delete(target);
  } else {
    targets.add(target);
  }
  const places = placeNotes(targets);
  const moved: [string, FileEntry][] = [];
  for (const [annotated, path] of paths) {
    const place = places.get(annotated);
    if (annotated === target || place !== path) {
      const present = editor.find(path.split("/"));
      editor.remove(path.split("/"));
      if (annotated !== target && place !== undefined && present !== null && present !== "tree") {
        moved.push([place, present]);
      }
    }
  }
  if (text !== null) {
    moved.push([
      places.get(target)!,
      { mode: FileMode.file, oid: objects.add(ObjectType.blob, Buffer.from(text, "utf8")) },
    ]);
  }
  for (const [path, entry] of moved) {
    editor.put(path.split("/"), entry);
  }
  const parents = args.notes === null ? [] : [args.notes];
  const tree = editor.write(objects);
  const commit = await addCommit(objects, format, { tree, parents, author: signature, committer: signature, message });
  return { commit, pack: await stageObjects(format, objects.list, args.destination) };
}
