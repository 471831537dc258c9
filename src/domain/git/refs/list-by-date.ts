import type { RepositoryRow } from "../../../auth/subject.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import type { Forge } from "../../spine/forge.ts";
import type { RefPage } from "./revisions.ts";

/** Which branches or tags are listed. */
export interface RefFilter {
  /** Text in the short name, in any case. */
  readonly words: string;
  /** Full names; null: all of them. */
  readonly names: ReadonlySet<string> | null;
  /** Those that changed within this time, or those that did not. */
  readonly age: "active" | "stale" | "any";
}

/** A branch without a commit for so long is stale. */
export const staleDays = 90;
/** Of more refs, only the names decide the order. */
const mostDated = 20_000;
const cacheBytes = 4 * 1024 * 1024;

export type ListRefs = (
  repository: RepositoryRow,
  filter: RefFilter,
  slice: { size: number; offset: number },
) => Promise<RefPage>;

/**
 * Lists the refs of a repository below a prefix: the default branch first, then those whose commits are the latest. Their dates are remembered
 * under the generation, which every write to refs raises.
 */
export function prepareListRefs({ git }: Pick<Forge, "git">, prefix: "refs/heads/" | "refs/tags/"): ListRefs {
  const dates = new ByteCache<readonly number[]>(cacheBytes);

  async function datesOf(repository: RepositoryRow, generation: number, refs: readonly Ref[]) {
    const key = `${repository.id}:${generation}`;
    const known = dates.get(key);
    if (known !== undefined && known.length === refs.length) {
      return known;
    }
    const view = await git.views.view({ ...repository, generation });
    const oids = refs.map(({ oid, peeled }) => peeled ?? oid);
    const found = await git.engine.call(view, "commitDates", { oids });
    dates.set(key, found, 8 * found.length);
    return found;
  }

  return async (repository, { words, names, age }, slice) => {
    const { refs: all, generation } = await git.revisions.list(repository);
    const refs = all.filter(({ name }) => name.startsWith(prefix));
    const isDated = refs.length <= mostDated;
    const seconds = isDated ? await datesOf(repository, generation, refs) : [];
    const text = words.toLowerCase();
    const oldest = Date.now() / 1000 - staleDays * 86_400;
    const main = `refs/heads/${repository.defaultBranch}`;
    const chosen = refs
      .map((ref, index) => ({ ref, at: seconds[index] ?? 0 }))
      .filter(
        ({ ref, at }) =>
          (text === "" || ref.name.slice(prefix.length).toLowerCase().includes(text)) &&
          (names === null || names.has(ref.name)) &&
          (age === "any" || !isDated || at >= oldest === (age === "active")),
      );
    chosen.sort((one, other) => Number(other.ref.name === main) - Number(one.ref.name === main) || other.at - one.at);
    const rows = chosen.slice(slice.offset, slice.offset + slice.size).map(({ ref }) => ref);
    return { rows, total: chosen.length, view: await git.views.view({ ...repository, generation }) };
  };
}
