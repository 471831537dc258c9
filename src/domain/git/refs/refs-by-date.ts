import type { RepositoryRow } from "../../../auth/subject.ts";
import type { GitEngine } from "../../../git/engine.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import type { RepositoryViews } from "../packs/repository-views.ts";
import type { RefPage, Revisions } from "./revisions.ts";

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
/** If there are more refs, their names alone decide the order. */
const mostDated = 20_000;
const cacheBytes = 2 * 1024 * 1024;

interface Slice {
  readonly size: number;
  readonly offset: number;
}

/** Everything, in the order of its dates. */
export const everyRef: RefFilter = { words: "", names: null, age: "any" };

/**
 * Lists the branches or the tags of a repository: the default branch first, then those whose commits are the latest. What is remembered is
 * remembered under the generation, which every write to refs raises.
 */
export class RefsByDate {
  private readonly dates = new ByteCache<readonly number[]>(cacheBytes);
  /** Pages of lists without a filter. */
  private readonly pages = new ByteCache<Omit<RefPage, "view">>(cacheBytes);

  constructor(
    private readonly git: GitEngine,
    private readonly views: RepositoryViews,
    private readonly revisions: Revisions,
  ) {}

  /** A page of the refs below a prefix that a filter lets through. */
  async page(
    repository: RepositoryRow,
    prefix: "refs/heads/" | "refs/tags/",
    filter: RefFilter,
    slice: Slice,
  ): Promise<RefPage> {
    const isPlain = filter.words === "" && filter.names === null && filter.age === "any";
    const key = `${repository.id}:${repository.generation}:${prefix}:${slice.offset}:${slice.size}`;
    const known = isPlain ? this.pages.get(key) : undefined;
    if (known !== undefined) {
      return { ...known, view: await this.views.view(repository) };
    }
    const byName = isPlain ? await this.revisions.page(repository, prefix, slice) : null;
    if (byName !== null && byName.total > mostDated) {
      return byName;
    }
    const { refs: all, generation } = await this.revisions.list(repository);
    const refs = all.filter(({ name }) => name.startsWith(prefix));
    const chosen = await this.choose({ ...repository, generation }, prefix, refs, filter);
    const page = { rows: chosen.slice(slice.offset, slice.offset + slice.size), total: chosen.length };
    if (isPlain) {
      const bytes = page.rows.reduce((sum, ref) => sum + 300 + 2 * ref.name.length, 64);
      this.pages.set(key, page, bytes);
    }
    return { ...page, view: await this.views.view({ ...repository, generation }) };
  }

  private async choose(
    repository: RepositoryRow,
    prefix: string,
    refs: readonly Ref[],
    { words, names, age }: RefFilter,
  ): Promise<Ref[]> {
    const isDated = refs.length <= mostDated;
    const seconds = isDated ? await this.datesOf(repository, prefix, refs) : [];
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
    return chosen.map(({ ref }) => ref);
  }

  private async datesOf(repository: RepositoryRow, prefix: string, refs: readonly Ref[]): Promise<readonly number[]> {
    const key = `${repository.id}:${repository.generation}:${prefix}`;
    const known = this.dates.get(key);
    if (known !== undefined && known.length === refs.length) {
      return known;
    }
    const view = await this.views.view(repository);
    const oids = refs.map(({ oid, peeled }) => peeled ?? oid);
    const found = await this.git.call(view, "commitDates", { oids });
    this.dates.set(key, found, 8 * found.length);
    return found;
  }
}
