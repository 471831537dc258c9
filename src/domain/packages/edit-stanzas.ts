import { clip } from "../../lib/show-value.ts";
import { NotFound } from "../spine/errors.ts";
import { namedOwner, type NamedOwner } from "../spine/events/names.ts";
import type { Work } from "../spine/work.ts";
import { addStanzas } from "./add-stanzas.ts";
import { deleteStanza, listStanzas } from "./index-queries.ts";
import { listFiles, lockPackage, type FileRow, type FoundVersion } from "./queries.ts";

/** Which part of which index. */
export interface StanzaPlace {
  readonly indexName: string;
  readonly part: string;
}

/** The new stanza of a file in a part; null: none. */
export type EditStanza = (file: FileRow, before: string | null) => string | null;

/**
 * Changes what the files of a version in a place of its registry add to a part of an index, after they came: what is said about
 * them, not what is in them. Returns whether anything changed. Throws NotFound when the version has no file there.
 */
export async function editStanzas(
  work: Work,
  owner: NamedOwner,
  { package: { id, type, name }, version }: FoundVersion,
  place: string,
  { indexName, part }: StanzaPlace,
  edit: EditStanza,
): Promise<boolean> {
  await lockPackage(work.tx, id);
  const files = (await listFiles(work.tx, version.id)).filter((file) => file.place === place);
  if (files.length === 0) {
    throw new NotFound("version of a package", clip(`${name}/${version.version}`, 80));
  }
  const stanzas = await listStanzas(work.tx, { versionId: version.id, indexName, part });
  let changed = false;
  for (const file of files) {
    const before = stanzas.get(file.id) ?? null;
    const content = edit(file, before);
    if (content === before) {
      continue;
    }
    changed = true;
    await deleteStanza(work.tx, { fileId: file.id, indexName, part });
    if (content !== null) {
      await addStanzas(work, { id: file.id, ownerId: owner.id, type }, [{ indexName, part, sort: file.name, content }]);
    }
  }
  if (changed) {
    work.tell({
      kind: "package.annotated",
      owner: namedOwner(owner),
      package: { id, type, name, version: version.version },
    });
  }
  return changed;
}
