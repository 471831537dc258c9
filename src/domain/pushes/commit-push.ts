import type { RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Transaction } from "../../db/client.ts";
import type { RepositoryView } from "../../git/workers/repository-view.ts";
import { Forbidden } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { namePacks } from "../packs/name-packs.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { editRepository } from "../repos/edit-repository.ts";
import { changeRefs, type ChangeRefs } from "../refs/change-refs.ts";
import type { DecidedChange } from "../refs/decide-changes.ts";
import type { PushedSettings } from "./push-options.ts";
import { hasAccess } from "../refs/queries.ts";

type PushChanges = Omit<ChangeRefs, "checkedIn">;

/**
 * Moves the refs of a push whose objects were checked in the packs of `view`; unless all are refused, the settings that
 * came with it are changed, too. Where the repository was repacked meanwhile, what the new refs reach is looked for again
 * in the packs that it has now: what was left over from a deleted branch may be gone with the old ones. Throws what
 * changeRefs and editRepository do, and MissingObject.
 */
export async function commitPush(forge: Forge, { repository, owner }: RepositoryAccess, view: RepositoryView, settings: PushedSettings, request: PushChanges): Promise<DecidedChange[]> {
  let checkedIn: RepositoryView | null = view;
  return againIfRepacked(async () => {
    const checked: RepositoryView = checkedIn ?? (await checkAgain(forge, repository, request));
    checkedIn = null;
    return namePacks(forge.database.db, request.packs, async (tx) => {
      const decided = await changeRefs(tx, { ...request, checkedIn: checked });
      if (Object.keys(settings).length > 0 && decided.some(({ refusal }) => refusal === null)) {
        await editRepository(tx, await demandAdministrator(tx, request), owner, repository.id, settings);
      }
      return decided;
    });
  });
}

/** The id of who pushes, who still administers the repository. Throws Forbidden. */
async function demandAdministrator(tx: Transaction, { repositoryId, repositoryName, actorId }: PushChanges): Promise<number> {
  if (actorId === null || !(await hasAccess(tx, repositoryId, actorId, accessModes.admin))) {
    throw new Forbidden(`You may no longer change settings of the repository "${repositoryName}"`);
  }
  return actorId;
}

async function checkAgain(forge: Forge, repository: RepositoryRow, { packs, changes }: PushChanges): Promise<RepositoryView> {
  const { view, tips: oldTips } = await forge.views.currentWithTips(repository);
  await forge.git.index({
    view: { ...view, packs: [...packs.map(({ path }) => path), ...view.packs] },
    path: null,
    directory: forge.packDirectory,
    newTips: [...new Set(changes.flatMap(({ newOid }) => newOid ?? []))],
    oldTips,
    moves: [],
    check: "strict",
    limits: { objectBytes: 0, totalInflatedBytes: 0, objectCount: 0, inflationRatio: 0, deltaDepth: 0 },
  });
  return view;
}
