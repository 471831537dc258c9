import type { RepositoryRow } from "../../../auth/subject.ts";
import type { LogCommit } from "../../../git/operations/log.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";

/** The ref that holds the notes that git shows. */
export const notesRef = "refs/notes/commits";

/** A longer note is not told in one piece. */
const largestNote = 4 * 1024 * 1024;

export interface Note {
  text: string;
  /** The commit that last changed it. */
  commit: LogCommit;
}

/** The note of a branch, tag or commit. Throws NotFound, also when it has none, and InvalidInput for one that is too long. */
export async function getNote(
  forge: Forge,
  repository: RepositoryRow,
  name: string,
  details: { files: boolean },
  signal?: AbortSignal,
): Promise<Note> {
  const target = await forge.git.revisions.get(repository, name);
  const tip = await forge.git.refs.findRef(repository.id, notesRef);
  if (tip === null) {
    throw new NotFound("note", name);
  }
  const view = await forge.git.views.view({ ...repository, generation: tip.generation });
  const found = await forge.git.engine.call(view, "findNote", { notes: tip.oid, target: target.commit }, signal);
  const object =
    found === null
      ? null
      : await forge.git.engine.call(view, "readObject", { oid: found.oid, maxBytes: largestNote }, signal);
  if (found === null || object === null) {
    throw new NotFound("note", name);
  }
  if (object.bytes === null) {
    throw new InvalidInput(`The note of "${name.slice(0, 100)}" is longer than ${largestNote} bytes`, "sha");
  }
  const args = {
    tips: [tip.oid],
    not: [],
    paths: [found.path],
    skip: 0,
    limit: 1,
    count: false,
    files: details.files,
    stats: true,
  };
  const [commit] = (await forge.git.commits.log(view, args, signal)).commits;
  if (commit === undefined) {
    throw new NotFound("note", name);
  }
  return { text: Buffer.from(object.bytes).toString("utf8"), commit };
}
