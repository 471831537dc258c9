import { detectRenames } from "../diff/detect-renames.ts";
import type { Whitespace } from "../diff/ignore-whitespace.ts";
import { diffTrees } from "../diff/tree-diff.ts";
import type { Bitset } from "../graph/bitset.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { DateOrderQueue } from "../log/date-order-queue.ts";
import { FileVersions } from "./file-versions.ts";
import { joinRanges, splitRanges, type LineRange } from "./line-ranges.ts";
import { PathBlobs } from "./path-blobs.ts";

export interface BlameOptions {
  /** line numbers from 1, both ends included; none: the whole file */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  /** commits that are not looked behind, with all that they reach; a line that is older is said to be of one of them */
  readonly boundary: Bitset | null;
  /** which differences of whitespace do not make a line another one */
  readonly whitespace: Whitespace;
}

/** Lines that one commit put where they are. */
export interface BlamedLines {
  /** hexadecimal */
  readonly commit: string;
  /** of the file in that commit, which may have another name since */
  readonly path: string;
  /** first line in the file of that commit, from 1 */
  readonly originLine: number;
  /** first line in the blamed file, from 1 */
  readonly line: number;
  readonly count: number;
  /** whether the search ended here because it was told to, or the commit has no parents */
  readonly boundary: boolean;
}

/** A version of the file that lines may be of. */
interface Suspect {
  readonly path: string;
  readonly blob: number;
  /** sorted and joined unless `mixed` */
  ranges: readonly LineRange[];
  mixed: boolean;
}

/**
 * Finds the commit that last changed each line of a file, in the order of its lines; null if the commit has no file at
 * the path. Follows renames and asks the parents of a merge one after the other, as `git blame` does. Yields now and
 * then. Throws MissingObject, CorruptObject, CorruptPack, DiffTooCostly.
 */
export function* blameFile(
  graph: CommitGraph,
  commit: number,
  path: string,
  options: BlameOptions,
): Generator<void, BlamedLines[] | null> {
  const blame = new Blame(graph, options);
  if (!blame.start(commit, path)) {
    return null;
  }
  while (blame.next()) {
    yield* blame.step();
  }
  return blame.result();
}

class Blame {
  readonly #queue: DateOrderQueue;
  /** by commit */
  readonly #suspects = new Map<number, Suspect[]>();
  readonly #paths = new Map<string, PathBlobs>();
  readonly #versions: FileVersions;
  readonly #blamed: BlamedLines[] = [];
  #commit = -1;

  constructor(
    private readonly graph: CommitGraph,
    private readonly options: BlameOptions,
  ) {
    this.#queue = new DateOrderQueue(graph);
    this.#versions = new FileVersions(graph.db, options.whitespace);
  }

  start(commit: number, path: string): boolean {
    const blob = this.#blobsOf(path).fileAt(commit)?.blob;
    if (blob === undefined) {
      return false;
    }
    const lines = this.#versions.countLines(blob);
    const asked = this.options.ranges.length === 0 ? [{ start: 1, end: lines }] : this.options.ranges;
    const marked = new Uint8Array(lines);
    for (const { start, end } of asked) {
      marked.fill(1, Math.max(0, start - 1), Math.max(0, end));
    }
    const ranges: LineRange[] = [];
    for (let line = 0; line < lines; line++) {
      if (marked[line] === 1) {
        ranges.push({ line, source: line, count: 1 });
      }
    }
    this.#suspect(commit, path, blob, joinRanges(ranges));
    return true;
  }

  next(): boolean {
    this.#commit = this.#queue.pop();
    return this.#commit >= 0;
  }

  /** Passes lines of the commit on to its parents as far as these have them. */
  *step(): Generator<void, void> {
    const commit = this.#commit;
    const suspects = this.#suspects.get(commit) ?? [];
    this.#suspects.delete(commit);
    for (const suspect of suspects) {
      if (suspect.mixed) {
        suspect.ranges = joinRanges([...suspect.ranges]);
      }
      const ends = this.options.boundary?.has(commit) === true;
      if (!ends) {
        yield* this.#pass(commit, suspect);
      }
      for (const { line, source, count } of suspect.ranges) {
        const boundary = ends || this.graph.parentCount(commit) === 0;
        this.#blamed.push({
          commit: this.graph.db.hexAt(commit),
          path: suspect.path,
          originLine: source + 1,
          line: line + 1,
          count,
          boundary,
        });
      }
    }
    yield;
  }

  /** Returns the blamed lines, in the order of the file. */
  result(): BlamedLines[] {
    this.#blamed.sort((left, right) => left.line - right.line);
    const joined: BlamedLines[] = [];
    for (const part of this.#blamed) {
      const last = joined.at(-1);
      const follows = last !== undefined && last.commit === part.commit && last.path === part.path;
      if (follows && last.line + last.count === part.line && last.originLine + last.count === part.originLine) {
        joined[joined.length - 1] = { ...last, count: last.count + part.count };
      } else {
        joined.push(part);
      }
    }
    return joined;
  }

  *#pass(commit: number, suspect: Suspect): Generator<void, void> {
    const { graph } = this;
    const parents = graph.parentCount(commit);
    const sources: { parent: number; path: string; blob: number }[] = [];
    const blobs = this.#blobsOf(suspect.path);
    const seen = new Set<number>();
    const offer = (parent: number, path: string, blob: number): boolean => {
      if (blob === suspect.blob) {
        this.#suspect(parent, path, blob, suspect.ranges);
        suspect.ranges = [];
        return true;
      }
      if (!seen.has(blob)) {
        seen.add(blob);
        sources.push({ parent, path, blob });
      }
      return false;
    };
    const without: number[] = [];
    const type = blobs.fileAt(commit)?.type;
    for (let index = 0; index < parents; index++) {
      const parent = graph.parentAt(commit, index);
      const file = blobs.fileAt(parent);
      if (file === null || file.type !== type) {
        without.push(parent);
      } else if (offer(parent, suspect.path, file.blob)) {
        return;
      }
    }
    for (const parent of without) {
      const origin = yield* this.#renamedFrom(parent, commit, suspect.path);
      const file = origin === null ? null : this.#blobsOf(origin).fileAt(parent);
      if (origin !== null && file !== null && offer(parent, origin, file.blob)) {
        return;
      }
    }
    // In the order of the parents, wherever the file was found.
    const order = new Map(
      Array.from({ length: parents }, (_, index) => [graph.parentAt(commit, parents - 1 - index), parents - 1 - index]),
    );
    sources.sort((left, right) => order.get(left.parent)! - order.get(right.parent)!);
    for (const { parent, path, blob } of sources) {
      const { passed, kept } = splitRanges(suspect.ranges, this.#versions.compare(blob, suspect.blob));
      if (passed.length > 0) {
        this.#suspect(parent, path, blob, passed);
      }
      suspect.ranges = kept;
      if (kept.length === 0) {
        return;
      }
      yield;
    }
  }

  /** Where a file that a commit added was in its parent; null when it is new. */
  *#renamedFrom(parent: number, commit: number, path: string): Generator<void, string | null> {
    const { graph } = this;
    const { db } = graph;
    const changes = diffTrees(db, db.oidAt(graph.treeOf(parent)).slice(), db.oidAt(graph.treeOf(commit)).slice());
    const pairs = yield* detectRenames(db, changes, { copies: "none", onlyTo: path });
    const pair = pairs.find(
      ({ after, status }) => after?.path === path && (status === "renamed" || status === "copied"),
    );
    return pair?.before?.path ?? null;
  }

  #suspect(commit: number, path: string, blob: number, ranges: readonly LineRange[]): void {
    const suspects = this.#suspects.get(commit);
    if (suspects === undefined) {
      this.#suspects.set(commit, [{ path, blob, ranges, mixed: false }]);
      this.#queue.push(commit);
      return;
    }
    const same = suspects.find((suspect) => suspect.path === path);
    if (same === undefined) {
      suspects.push({ path, blob, ranges, mixed: false });
    } else {
      same.ranges = [...same.ranges, ...ranges];
      same.mixed = true;
    }
  }

  #blobsOf(path: string): PathBlobs {
    let blobs = this.#paths.get(path);
    if (blobs === undefined) {
      blobs = new PathBlobs(this.graph, path);
      this.#paths.set(path, blobs);
    }
    return blobs;
  }
}
