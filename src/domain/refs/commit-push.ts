import type { RepositoryRow } from "../../auth/subject.ts";
import type { RepositoryView } from "../../git/workers/repository-view.ts";
import type { Forge } from "../forge.ts";
import { packPath } from "../packs/pack-path.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { changeRefs, type ChangeRefs } from "./change-refs.ts";
import type { DecidedChange } from "./decide-changes.ts";

/**
 * Moves the refs of a push whose objects were checked in the packs of `view`. Where the repository was repacked
 * meanwhile, what the new refs reach is looked for again in the packs that it has now: what was left over from a deleted
 * branch may be gone with the old ones. Throws what changeRefs does, and MissingObject.
 */
export async function commitPush(forge: Forge, repository: RepositoryRow, view: RepositoryView, request: Omit<ChangeRefs, "checkedIn">): Promise<DecidedChange[]> {
  let checkedIn: RepositoryView | null = view;
  return againIfRepacked(async () => {
    const checked: RepositoryView = checkedIn ?? (await checkAgain(forge, repository, request));
    checkedIn = null;
    return forge.database.db.transaction((tx) => changeRefs(tx, { ...request, checkedIn: checked }));
  });
}

async function checkAgain(forge: Forge, repository: RepositoryRow, { packs, changes }: Omit<ChangeRefs, "checkedIn">): Promise<RepositoryView> {
  const refs = await forge.refs.listRefs(repository.id);
  const view = await forge.views.current(repository);
  await forge.git.index({
    view: { ...view, packs: [...packs.map(({ checksum }) => packPath(forge.packDirectory, checksum)), ...view.packs] },
    path: null,
    directory: forge.packDirectory,
    newTips: [...new Set(changes.flatMap(({ newOid }) => newOid ?? []))],
    oldTips: [...new Set(refs.map(({ oid }) => oid))],
    moves: [],
    check: "strict",
    limits: { objectBytes: 0, totalInflatedBytes: 0, objectCount: 0, inflationRatio: 0, deltaDepth: 0 },
  });
  return view;
}
