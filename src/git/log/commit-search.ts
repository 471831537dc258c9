import type { CommitGraph } from "../graph/commit-graph.ts";
import { diffTrees, type TreeSide } from "../diff/tree-diff.ts";
import { parseCommit } from "../objects/commit.ts";
import type { Signature } from "../objects/signature.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";

/** What a commit is searched for. All of it has to be found, in any case of its letters, except that of `changes`. */
export interface CommitWords {
  /** texts in the message; also the first digits of the commit's oid */
  readonly words: readonly string[];
  /** text in the author's line (`Name <mail>`) */
  readonly author: string;
  /** text in the committer's line */
  readonly committer: string;
  /** text whose number of occurrences in a file the commit changes: git's `-S`; merges change none */
  readonly changes: string;
}

/** Larger files are taken for unchanged. */
const largestFile = 8 * 1024 * 1024;
/** Counts that are remembered: what a commit brings is what the next one changes. */
const mostCounts = 50_000;

/** Looks whether commits match. */
export class CommitSearch {
  readonly #words: readonly string[];
  readonly #author: string;
  readonly #committer: string;
  readonly #changes: Buffer;
  readonly #reader = new UncachedReader();
  readonly #counts = new Map<number, number>();

  constructor(
    private readonly graph: CommitGraph,
    { words, author, committer, changes }: CommitWords,
  ) {
    this.#words = words.map(fold);
    this.#author = fold(author);
    this.#committer = fold(committer);
    this.#changes = Buffer.from(changes);
  }

  /** Whether the commit at a position matches. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack. */
  *matches(position: number): Generator<void, boolean> {
    return this.#isWorded(position) && (this.#changes.length === 0 || (yield* this.#changesText(position)));
  }

  #isWorded(position: number): boolean {
    if (this.#words.length === 0 && this.#author === "" && this.#committer === "") {
      return true;
    }
    const { db } = this.graph;
    const { author, committer, message } = parseCommit(db.read(position).bytes, db.format);
    if (!fold(lineOf(author)).includes(this.#author) || !fold(lineOf(committer)).includes(this.#committer)) {
      return false;
    }
    const text = fold(message);
    return this.#words.every(
      (word) => text.includes(word) || (/^[0-9a-f]{4,64}$/.test(word) && db.hexAt(position).startsWith(word)),
    );
  }

  *#changesText(position: number): Generator<void, boolean> {
    const { graph } = this;
    const { db } = graph;
    const parents = graph.parentCount(position);
    if (parents > 1) {
      return false;
    }
    const before = parents === 0 ? null : db.oidAt(graph.treeOf(graph.parentAt(position, 0)));
    for (const change of diffTrees(db, before, db.oidAt(graph.treeOf(position)))) {
      if (this.#countIn(change.before) !== this.#countIn(change.after)) {
        return true;
      }
      yield;
    }
    return false;
  }

  #countIn(side: TreeSide | null): number {
    const { db } = this.graph;
    const position = side === null || (side.mode & 0o170000) === 0o160000 ? -1 : db.find(side.oid);
    if (position < 0) {
      return 0;
    }
    const known = this.#counts.get(position);
    if (known !== undefined) {
      return known;
    }
    const content = db.readOnceUpTo(position, this.#reader, largestFile);
    const count = content === null ? 0 : occurrences(content.bytes, this.#changes);
    if (this.#counts.size >= mostCounts) {
      this.#counts.clear();
    }
    this.#counts.set(position, count);
    return count;
  }
}

function fold(text: string): string {
  return text.toLowerCase();
}

function lineOf({ name, email }: Signature): string {
  return `${name} <${email}>`;
}

function occurrences(bytes: Uint8Array, text: Buffer): number {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) {
    count++;
  }
  return count;
}
