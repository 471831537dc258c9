import type { Reader } from "../../../db/client.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { StithyError } from "../../../lib/errors.ts";
import { checksumOf } from "./pack-path.ts";
import { linkedChecksums } from "./queries.ts";

/** A repository is not repacked so often that one piece of work is overtaken more than once or twice. */
const attempts = 5;

/** Packs in which the objects of a write were looked up are not the repository's any more: they have to be looked up again. */
export class PacksReplaced extends StithyError {
  constructor(name: string) {
    super("busy", "packs-replaced", `The repository "${name}" was repacked in this moment: try again`, { name });
  }
}

/**
 * Throws PacksReplaced unless every pack of the view is still linked to the repository. For transactions that hold its
 * row: `generation` is the one that the row had before, and equals the view's when nothing at all has changed.
 */
export async function checkPacksLinked(
  tx: Reader,
  repository: { id: number; name: string; generation: number },
  view: RepositoryView,
): Promise<void> {
  if (view.key === `${repository.id}:${repository.generation}`) {
    return;
  }
  const linked = await linkedChecksums(tx, repository.id);
  if (!view.packs.every((path) => linked.has(checksumOf(path)))) {
    throw new PacksReplaced(repository.name);
  }
}

/** Does work again whose packs were replaced in between. Throws PacksReplaced when that happens time and again. */
export async function againIfRepacked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PacksReplaced) || attempt === attempts) {
        throw error;
      }
    }
  }
}
