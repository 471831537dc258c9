import { CandidateList, type RenameCandidate } from "../diff/rename-candidates.ts";
import { contentKey, EqualFiles } from "../diff/equal-files.ts";
import { fullScore, SimilarityEstimator } from "../diff/similarity.ts";
import { hexToBytes } from "../objects/oid.ts";
import { DirectoryCounts } from "./directory-counts.ts";
import { nameOf, type Version } from "./merge-path.ts";
import type { ObjectOverlay } from "./object-overlay.ts";
import type { RenameInput } from "./rename-input.ts";

/** A file that a side added; `from` is where it was, null when it is new. */
export interface PlacedFile {
  readonly from: string | null;
  readonly path: string;
}

export interface SideRenames {
  /** all that the side added */
  readonly files: readonly PlacedFile[];
  /** directories that matter and went elsewhere as a whole; null: to no one place */
  readonly directories: ReadonlyMap<string, string | null>;
}

interface File {
  readonly path: string;
  readonly name: string;
  readonly mode: number;
  readonly oid: Uint8Array;
  readonly hex: string;
  /** the other end of the rename */
  partner: File | null;
}

const threshold = fullScore / 2;
const sameNameThreshold = threshold + Math.floor(0.5 * (fullScore - threshold));
/** Files are compared with each other while there are at most so many pairs; git's limit for merges. */
const maxPairs = 7000 * 7000;

/**
 * Finds where the files went that one side removed: equal files first, then those whose name says so, then all others
 * by similarity; of these only what the merge needs to know, which can decide who is whose. As git's merge-ort does.
 * Yields now and then. Throws MissingObject, CorruptPack.
 */
export function* findSideRenames(objects: ObjectOverlay, input: RenameInput): Generator<void, SideRenames> {
  const search = new RenameSearch(objects, input);
  if (input.relevant.size > 0) {
    yield* search.run();
  }
  const files = input.added.map(({ path }) => ({ path, from: search.originOf(path) }));
  return { files, directories: search.directories() };
}

class RenameSearch {
  #sources: File[];
  readonly #targets: File[];
  readonly #counts: DirectoryCounts;
  readonly #estimator: SimilarityEstimator;
  readonly #origins = new Map<string, string>();

  constructor(
    objects: ObjectOverlay,
    private readonly input: RenameInput,
  ) {
    const emptyBlob = new Bun.CryptoHasher(objects.db.format.name).update("blob 0\0").digest("hex");
    const files = (list: readonly { path: string; version: Version }[]): File[] =>
      list.filter(({ version }) => version.oid !== emptyBlob).map(({ path, version }) => fileOf(path, version));
    this.#sources = files(input.removed);
    this.#targets = files(input.added);
    this.#counts = new DirectoryCounts(input.removedDirectories);
    this.#estimator = new SimilarityEstimator(objects);
  }

  originOf(path: string): string | null {
    return this.#origins.get(path) ?? null;
  }

  directories(): Map<string, string | null> {
    return this.#counts.renames();
  }

  *run(): Generator<void, void> {
    if (this.#sources.length === 0 || this.#targets.length === 0) {
      return;
    }
    this.#pairEqualFiles();
    this.#sources = this.#sources.filter((source) => source.partner === null);
    yield* this.#pairByName();
    const { relevant } = this.input;
    this.#sources = this.#sources.filter((source) => source.partner === null && relevant.has(source.path));
    this.#counts.settle(this.#sources.map((source) => source.path));
    this.#sources = this.#sources.filter(
      (source) => relevant.get(source.path) === "content" || this.#counts.matters(source.path),
    );
    yield* this.#pairBySimilarity();
  }

  #pairEqualFiles(): void {
    const equal = new Map<string, EqualFiles<File>>();
    for (const [key, sources] of Map.groupBy(this.#sources, ({ hex, mode }) => contentKey(hex, mode))) {
      equal.set(key, new EqualFiles(sources));
    }
    for (const target of this.#targets) {
      const sources = equal.get(contentKey(target.hex, target.mode));
      const best = sources?.best(({ name }) => (name === target.name ? 1 : 0), 1) ?? -1;
      if (sources !== undefined && best >= 0) {
        target.partner = sources.take(best);
        target.partner.partner = target;
      }
    }
    // In the order of the targets, which decides between directories that are equally likely.
    for (const target of this.#targets) {
      if (target.partner !== null) {
        this.#note(target.partner, target);
      }
    }
  }

  /** Files whose name is there once on each side, or stands in the directory that most of theirs went to. */
  *#pairByName(): Generator<void, void> {
    const open = this.#targets.filter((target) => target.partner === null);
    const targetsByName = Map.groupBy(open, (target) => target.name);
    const sourcesByName = Map.groupBy(this.#sources, (source) => source.name);
    const byPath = new Map(open.map((target) => [target.path, target]));
    // The results on the way do not guide this search: only equal files do.
    const guesses = new Map<string, string | null>();
    for (const directory of this.input.removedDirectories.keys()) {
      guesses.set(directory, this.#counts.guess(directory));
    }
    for (const source of this.#sources) {
      const named = targetsByName.get(source.name);
      if (!this.input.relevant.has(source.path) || named === undefined) {
        continue;
      }
      const guess = guesses.get(source.path.slice(0, Math.max(0, source.path.length - source.name.length - 1))) ?? null;
      const unique = named.length === 1 && sourcesByName.get(source.name)!.length === 1;
      const target = unique ? named[0] : guess === null ? undefined : byPath.get(`${guess}/${source.name}`);
      if (target === undefined || target.partner !== null) {
        continue;
      }
      if (this.#estimator.score(source, target, sameNameThreshold) >= sameNameThreshold) {
        this.#pair(source, target);
      }
      yield;
    }
  }

  *#pairBySimilarity(): Generator<void, void> {
    const open = this.#targets.filter((target) => target.partner === null);
    if (open.length * this.#sources.length > maxPairs) {
      return;
    }
    const candidates: RenameCandidate<File, File>[] = [];
    for (const target of open) {
      const best = new CandidateList<File, File>();
      for (const source of this.#sources) {
        const score = this.#estimator.score(source, target, threshold);
        best.offer({ source, target, score, sameName: source.name === target.name ? 1 : 0 });
        yield;
      }
      candidates.push(...best.items());
    }
    candidates.sort((left, right) => right.score - left.score || right.sameName - left.sameName);
    for (const { source, target, score } of candidates) {
      if (score >= threshold && source.partner === null && target.partner === null) {
        this.#pair(source, target);
      }
    }
  }

  #pair(source: File, target: File): void {
    target.partner = source;
    source.partner = target;
    this.#note(source, target);
  }

  #note(source: File, target: File): void {
    this.#origins.set(target.path, source.path);
    this.#counts.count(source.path, target.path);
  }
}

function fileOf(path: string, { mode, oid }: Version): File {
  return { path, name: nameOf(path), mode, oid: hexToBytes(oid), hex: oid, partner: null };
}
