import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { CandidateList, type RenameCandidate } from "./rename-candidates.ts";
import { contentKey, EqualFiles } from "./equal-files.ts";
import { isChanged, pairOf, type FilePair, type FileSide } from "./file-pair.ts";
import { fullScore, SimilarityEstimator } from "./similarity.ts";
import type { TreeChange } from "./tree-diff.ts";

export interface RenameOptions {
  /** "none": only renames (`-M`); "changed": also copies of files that changed (`-C`); "all": of all files, see `detectRenames` */
  readonly copies: "none" | "changed" | "all";
  /** how similar two files must be, percent; 50 unless given */
  readonly threshold?: number;
  /** files that are not equal are compared while sources × targets are at most the square of this; 1000 unless given */
  readonly limit?: number;
  /** whether empty files take part; they do unless this is false */
  readonly emptyFiles?: boolean;
  /** the one path whose origin is wanted */
  readonly onlyTo?: string;
  /** from when on, in the time of `performance.now()`, no further files are compared: what is not found by then is no rename */
  readonly until?: number;
}

const defaultThreshold = 50;
const defaultLimit = 1000;

interface Source {
  readonly pair: FilePair;
  readonly side: FileSide;
  readonly name: string;
  /** how many targets come from it, and one more for a file that stays where it is */
  used: number;
}

interface Target {
  readonly pair: FilePair;
  readonly side: FileSide;
  readonly name: string;
  source: Source | null;
  score: number;
}

/**
 * Pairs added files with those that they were renamed or copied from, as git's diffcore-rename does: equal files first,
 * then (unless copies are wanted) files whose name is unique on both sides, then all others by similarity. The changes
 * come in the order of `diffTrees` and keep it; for copies "all" they have to hold the unchanged files too, which do not
 * come back. Yields now and then. Throws MissingObject, CorruptPack.
 */
export function* detectRenames(
  odb: ObjectDatabase,
  changes: Iterable<TreeChange>,
  options: RenameOptions,
): Generator<void, FilePair[]> {
  const detection = new RenameDetection(odb, options);
  for (const change of changes) {
    detection.add(change);
    yield;
  }
  yield* detection.run();
  return detection.pairs();
}

class RenameDetection {
  readonly #pairs: FilePair[] = [];
  #sources: Source[] = [];
  readonly #sourceOf = new Map<FilePair, Source>();
  readonly #targets: Target[] = [];
  readonly #targetOf = new Map<FilePair, Target>();
  /** the sources that something was made of */
  readonly #renamed = new Set<Source>();
  readonly #estimator: SimilarityEstimator;
  readonly #copies: boolean;
  readonly #threshold: number;
  readonly #emptyBlob: string;

  constructor(
    odb: ObjectDatabase,
    private readonly options: RenameOptions,
  ) {
    this.#estimator = new SimilarityEstimator(odb);
    this.#copies = options.copies !== "none";
    this.#threshold = Math.floor(((options.threshold ?? defaultThreshold) * fullScore) / 100);
    this.#emptyBlob = new Bun.CryptoHasher(odb.format.name).update("blob 0\0").digest("hex");
  }

  add(change: TreeChange): void {
    const pair = pairOf(change);
    this.#pairs.push(pair);
    const { before, after } = pair;
    const side = before ?? after!;
    if (this.options.emptyFiles === false && bytesToHex(side.oid) === this.#emptyBlob) {
      return;
    }
    if (before === null) {
      if (this.options.onlyTo === undefined || this.options.onlyTo === side.path) {
        const target: Target = { pair, side, name: nameOf(side), source: null, score: 0 };
        this.#targets.push(target);
        this.#targetOf.set(pair, target);
      }
    } else if (after === null || this.#copies) {
      const source: Source = { pair, side: before, name: nameOf(before), used: after === null ? 0 : 1 };
      this.#sources.push(source);
      this.#sourceOf.set(pair, source);
    }
  }

  *run(): Generator<void, void> {
    if (this.#targets.length === 0 || this.#sources.length === 0) {
      return;
    }
    this.#pairEqualFiles();
    if (this.#threshold === fullScore) {
      return;
    }
    if (!this.#copies) {
      this.#dropUsedSources();
      yield* this.#pairByName();
      this.#dropUsedSources();
    }
    yield* this.#pairBySimilarity();
  }

  /** Returns the pairs, in the order of the changes. */
  pairs(): FilePair[] {
    const result: FilePair[] = [];
    for (const pair of this.#pairs) {
      const source = this.#sourceOf.get(pair);
      const target = this.#targetOf.get(pair);
      if (target !== undefined && target.source !== null) {
        result.push(resolve(target, target.source));
      } else if (pair.after === null ? source === undefined || !this.#renamed.has(source) : isChanged(pair)) {
        result.push(pair);
      }
    }
    return result;
  }

  #pairEqualFiles(): void {
    const equal = new Map<string, EqualFiles<Source>>();
    for (const [key, sources] of Map.groupBy(this.#sources, keyOf)) {
      equal.set(key, new EqualFiles(sources));
    }
    for (const target of this.#targets) {
      // One that nothing was made of yet is better, and one with the same name.
      const sources = equal.get(keyOf(target));
      const best = sources?.best(({ used, name }) => (used > 0 ? 0 : 1) + (name === target.name ? 1 : 0), 2) ?? -1;
      if (sources !== undefined && best >= 0) {
        this.#record(target, this.#copies ? sources.at(best) : sources.take(best), fullScore);
      }
    }
  }

  *#pairByName(): Generator<void, void> {
    const sources = uniqueNames(this.#sources);
    const targets = uniqueNames(this.#targets.filter((target) => target.source === null));
    const minimum = this.#threshold + Math.floor(0.5 * (fullScore - this.#threshold));
    for (const source of this.#sources) {
      const target = targets.get(source.name);
      if (this.#isOver()) {
        return;
      }
      if (target === undefined || target === null || target.source !== null || sources.get(source.name) !== source) {
        continue;
      }
      const score = this.#estimator.score(source.side, target.side, minimum);
      if (score >= minimum) {
        this.#record(target, source, score);
      }
      yield;
    }
  }

  *#pairBySimilarity(): Generator<void, void> {
    const open = this.#targets.filter((target) => target.source === null);
    const sources = this.#comparedSources(open.length);
    if (open.length === 0 || sources.length === 0) {
      return;
    }
    const candidates: RenameCandidate<Source, Target>[] = [];
    for (const target of open) {
      const best = new CandidateList<Source, Target>();
      for (const source of sources) {
        if (this.#isOver()) {
          return;
        }
        const score = this.#estimator.score(source.side, target.side, this.#threshold);
        best.offer({ source, target, score, sameName: source.name === target.name ? 1 : 0 });
        yield;
      }
      candidates.push(...best.items());
    }
    candidates.sort((left, right) => right.score - left.score || right.sameName - left.sameName);
    this.#take(candidates, false);
    if (this.#copies) {
      this.#take(candidates, true);
    }
  }

  #isOver(): boolean {
    return this.options.until !== undefined && performance.now() > this.options.until;
  }

  /** The sources that targets are compared with: none when that would be too many pairs. */
  #comparedSources(targets: number): readonly Source[] {
    const limit = this.options.limit ?? defaultLimit;
    const fits = (sources: readonly Source[]): boolean => limit <= 0 || targets * sources.length <= limit * limit;
    if (fits(this.#sources)) {
      return this.#sources;
    }
    if (this.options.copies !== "all") {
      return [];
    }
    const changed = this.#sources.filter((source) => isChanged(source.pair));
    return fits(changed) ? changed : [];
  }

  #take(candidates: readonly RenameCandidate<Source, Target>[], usedToo: boolean): void {
    for (const { source, target, score } of candidates) {
      if (score < this.#threshold) {
        return;
      }
      if (target.source === null && (usedToo || source.used === 0)) {
        this.#record(target, source, score);
      }
    }
  }

  #record(target: Target, source: Source, score: number): void {
    target.source = source;
    target.score = score;
    source.used++;
    this.#renamed.add(source);
  }

  #dropUsedSources(): void {
    this.#sources = this.#sources.filter((source) => source.used === 0);
  }
}

/** If several files come from a deleted one, the last is the rename and the others are copies. */
function resolve(target: Target, source: Source): FilePair {
  source.used--;
  const similarity = Math.floor((target.score * 100) / fullScore);
  return { status: source.used > 0 ? "copied" : "renamed", before: source.side, after: target.side, similarity };
}

function keyOf({ side }: Source | Target): string {
  return contentKey(bytesToHex(side.oid), side.mode);
}

/** The files by their name; null where several have it. */
function uniqueNames<Item extends { readonly name: string }>(items: readonly Item[]): Map<string, Item | null> {
  const byName = new Map<string, Item | null>();
  for (const item of items) {
    byName.set(item.name, byName.has(item.name) ? null : item);
  }
  return byName;
}

/** The name without directories, as bytes: what is not UTF-8 stays different. */
function nameOf({ path, rawPath }: FileSide): string {
  const bytes = Buffer.from(rawPath ?? path);
  return bytes.toString("latin1", bytes.lastIndexOf(0x2f) + 1);
}
