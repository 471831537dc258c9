import type { RepositoryAccess } from "../../../auth/subject.ts";
import { EditConflict } from "../../../git/edit/errors.ts";
import { stripSpace } from "../../../git/notes/strip-space.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { identityOf } from "../commits/identity.ts";
import { actorOf, type Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { moveRefs, RefsRefused } from "../refs/move-refs.ts";
import { writeObjects } from "../refs/write-objects.ts";
import { notesRef } from "./find-note.ts";

/** Somebody may push notes at the same moment: so often is a note written again on what they left. */
const attempts = 8;

/**
 * Sets the note of a branch's tip, tag or commit. Throws NotFound (the target), InvalidInput (an empty note, or something
 * that is no note is in its way), RefsRefused.
 */
export async function setNote(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  name: string,
  note: string,
): Promise<void> {
  const text = stripSpace(note.replaceAll("\0", ""));
  if (text === "") {
    throw new InvalidInput("A note must not be empty", "message");
  }
  await edit(forge, doer, access, name, text);
}

/** Removes a note. Throws NotFound, also when there is none, and RefsRefused. */
export async function removeNote(forge: Forge, doer: Doer, access: RepositoryAccess, name: string): Promise<void> {
  await edit(forge, doer, access, name, null);
}

async function edit(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  name: string,
  text: string | null,
): Promise<void> {
  const { repository } = access;
  const target = await forge.git.revisions.get(repository, name);
  await forge.git.writing.run(`notes ${repository.id}`, async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await againIfRepacked(() => tryEdit(forge, doer, access, { name, oid: target.commit, text }));
      } catch (error) {
        if (!(error instanceof RefsRefused) || attempt === attempts) {
          throw error instanceof EditConflict ? new InvalidInput(error.message, "sha") : error;
        }
      }
    }
  });
}

async function tryEdit(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  note: { name: string; oid: string; text: string | null },
): Promise<void> {
  const { repository } = access;
  const tip = await forge.git.refs.findRef(repository.id, notesRef);
  const view =
    tip === null
      ? await forge.git.views.current(repository)
      : await forge.git.views.view({ ...repository, generation: tip.generation });
  const identity = identityOf(forge.addresses, actorOf(doer));
  await writeObjects(
    forge,
    doer,
    async (destination) => {
      const { pack, commit } = await forge.git.engine.write(view, "editNote", {
        notes: tip?.oid ?? null,
        target: note.oid,
        text: note.text,
        signature: { ...identity, seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 },
        message: note.text === null ? "Notes removed by the API\n" : "Notes added by the API\n",
        destination,
      });
      if (commit === null) {
        throw new NotFound("note", note.name);
      }
      return { pack, commit };
    },
    (work, { commit }, packs) =>
      moveRefs(work, {
        repository: namedRepository(access),
        changes: [{ name: notesRef, oldOid: tip?.oid ?? null, newOid: commit, peeled: null }],
        reason: "note",
        packs,
        checkedIn: view,
      }),
  );
}
