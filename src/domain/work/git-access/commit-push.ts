import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { GitForge } from "../../spine/forge.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import type { DecidedChange } from "../../git/refs/decide-changes.ts";
import { moveRefs, type MaintainerPush } from "../../git/refs/move-refs.ts";
import { isGuestOfWiki } from "../../git/wiki-stores/wiki-store.ts";
import type { RefChange } from "../../git/refs/queries.ts";
import { editRepository } from "../../repos/edit-repository.ts";
import { PushOptionRefused, type PushedSettings } from "./push-options.ts";

/** The changes of a push. */
interface PushChanges {
  changes: readonly RefChange[];
  packs: readonly StagedPack[];
  /** All changes or none. */
  atomic: boolean;
  settings: PushedSettings;
  /** Where the doer may push to these branches alone. */
  asMaintainer: MaintainerPush | null;
  /** For the reflog. */
  reason: string;
  /** See `MoveRefs`. */
  namesNothing: boolean;
}

/**
 * Moves the refs of a push whose objects were checked in the packs of `view`; unless all are refused, the settings that
 * came with it are changed, too. Where the repository was repacked meanwhile, what the new refs reach is looked for again
 * in the packs that it has now: what was left over from a deleted branch may be gone with the old ones. Throws what
 * moveRefs and editRepository do, MissingObject, and PushOptionRefused where a setting cannot be what the push asks for.
 */
export async function commitPush(
  forge: GitForge,
  doer: Doer,
  access: RepositoryAccess,
  view: RepositoryView,
  request: PushChanges,
): Promise<DecidedChange[]> {
  const { changes, packs, atomic, settings, reason, asMaintainer, namesNothing } = request;
  let checkedIn: RepositoryView | null = view;
  return againIfRepacked(async () => {
    const checked: RepositoryView = checkedIn ?? (await checkAgain(forge, access.repository, request));
    checkedIn = null;
    return forge.change(doer, { packs }, async (work) => {
      const decided = await moveRefs(work, {
        repository: namedRepository(access),
        changes,
        reason,
        packs,
        single: !atomic,
        checkedIn: checked,
        namesNothing,
        asMaintainer,
        byGuest: isGuestOfWiki(access),
      });
      if (Object.keys(settings).length > 0 && decided.some(({ refusal }) => refusal === null)) {
        await work.demand({ on: "repository", do: "admin", unit: "any" });
        await editRepository(work, access, settings).catch((error: unknown) => {
          throw error instanceof InvalidInput ? new PushOptionRefused(error.message) : error;
        });
      }
      return decided;
    });
  });
}

async function checkAgain(
  forge: GitForge,
  repository: RepositoryRow,
  { packs, changes }: PushChanges,
): Promise<RepositoryView> {
  const { view, tips: oldTips } = await forge.git.views.currentWithTips(repository);
  await forge.git.engine.index({
    view: { ...view, packs: [...packs.map(({ path }) => path), ...view.packs] },
    path: null,
    directory: forge.files.packDirectory,
    newTips: [...new Set(changes.flatMap(({ newOid }) => newOid ?? []))],
    oldTips,
    brought: packs.length,
    moves: [],
    check: "strict",
    limits: { objectBytes: 0, totalInflatedBytes: 0, objectCount: 0, inflationRatio: 0, deltaDepth: 0 },
  });
  return view;
}
