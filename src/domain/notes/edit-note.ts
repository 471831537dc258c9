import type { Actor, RepositoryRow } from "../../auth/subject.ts";
import { EditConflict } from "../../git/edit/errors.ts";
import { stripSpace } from "../../git/notes/strip-space.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { KeyedLock } from "../../lib/keyed-lock.ts";
import { ScratchDirectory } from "../../lib/scratch-directory.ts";
import { identityOf } from "../commits/identity.ts";
import { NotFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { namePacks } from "../packs/name-packs.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { changeRefs, RefsRefused } from "../refs/change-refs.ts";
import { notesRef } from "./find-note.ts";

/** Somebody may push notes at the same moment: so often is a note written again on what they left. */
const attempts = 8;

/** Notes of one repository are written one after the other; pushes are met by comparing the ref's tip. */
const editing = new KeyedLock();

/**
 * Sets the note of a branch's tip, tag or commit. Throws NotFound (the target), InvalidInput (an empty note, or something
 * that is no note is in its way), RefsRefused.
 */
export async function setNote(forge: Forge, repository: RepositoryRow, actor: Actor, name: string, note: string): Promise<void> {
  const text = stripSpace(note.replaceAll("\0", ""));
  if (text === "") {
    throw new InvalidInput("A note must not be empty", "message");
  }
  await edit(forge, repository, actor, name, text);
}

/** Removes a note. Throws NotFound, also when there is none, and RefsRefused. */
export async function removeNote(forge: Forge, repository: RepositoryRow, actor: Actor, name: string): Promise<void> {
  await edit(forge, repository, actor, name, null);
}

async function edit(forge: Forge, repository: RepositoryRow, actor: Actor, name: string, text: string | null): Promise<void> {
  const target = await forge.revisions.get(repository, name);
  await editing.run(`${forge.packDirectory}:${repository.id}`, async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await againIfRepacked(() => tryEdit(forge, repository, actor, { name, oid: target.commit, text }));
      } catch (error) {
        if (!(error instanceof RefsRefused) || attempt === attempts) {
          throw error instanceof EditConflict ? new InvalidInput(error.message, "sha") : error;
        }
      }
    }
  });
}

async function tryEdit(forge: Forge, repository: RepositoryRow, actor: Actor, note: { name: string; oid: string; text: string | null }): Promise<void> {
  const tip = await forge.refs.findRef(repository.id, notesRef);
  const view = tip === null ? await forge.views.current(repository) : await forge.views.view({ ...repository, generation: tip.generation });
  await using scratch = await ScratchDirectory.make(forge.temporaryDirectory);
  const written = await forge.git.write(view, "editNote", {
    notes: tip?.oid ?? null,
    target: note.oid,
    text: note.text,
    signature: { ...identityOf(forge.addresses, actor), seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 },
    message: note.text === null ? "Notes removed by the API\n" : "Notes added by the API\n",
    destination: { directory: forge.packDirectory, temporary: scratch.path },
  });
  const newOid = written.commit;
  if (newOid === null) {
    throw new NotFound("note", note.name);
  }
  const packs = written.pack === null ? [] : [written.pack];
  await namePacks(forge.database.db, packs, (tx) =>
    changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: actor.id,
      policy: forge.config.git,
      reason: "note",
      changes: [{ name: notesRef, oldOid: tip?.oid ?? null, newOid, peeled: null }],
      packs,
      atomic: true,
      checkedIn: view,
    }),
  );
}
