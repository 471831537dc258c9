import { committerDate } from "../objects/committer-date.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { bytesToHex, parseHexAt } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";

/** Data of some commits, as columns: a commit's number is its index in each. All other numbers are positions. */
export interface CommitTable {
  readonly positions: Int32Array;
  readonly trees: Int32Array;
  /** seconds */
  readonly dates: Float64Array;
  /** where the parents of each start in `parents`, and where those of the last end */
  readonly parentStarts: Int32Array;
  readonly parents: Int32Array;
}

/**
 * Parents, tree and date of commits by position, parsed when first asked for and kept in flat arrays: about 30 bytes a
 * commit, plus 4 bytes for each object of the database.
 * Every method throws MissingObject when the commit names a tree or parent that is not there, CorruptObject when the
 * position holds no commit.
 */
export class CommitGraph {
  /** by position: 0 while unknown, else one more than the commit's number */
  readonly #numbers: Int32Array;
  #count = 0;
  #positions = new Int32Array(256);
  #trees = new Int32Array(256);
  #dates = new Float64Array(256);
  /** by commit number: where its parents start in `#parents`; they end where those of the next start */
  #parentStarts = new Int32Array(257);
  #parents = new Int32Array(512);
  readonly #oid: Uint8Array;

  constructor(readonly db: ObjectDatabase) {
    this.#numbers = new Int32Array(db.size);
    this.#oid = new Uint8Array(db.format.oidBytes);
  }

  /** The commits that are known; shares the graph's memory. */
  get table(): CommitTable {
    const count = this.#count;
    return {
      positions: this.#positions.subarray(0, count),
      trees: this.#trees.subarray(0, count),
      dates: this.#dates.subarray(0, count),
      parentStarts: this.#parentStarts.subarray(0, count + 1),
      parents: this.#parents.subarray(0, this.#parentStarts[count]!),
    };
  }

  /** Takes over what is known of commits from elsewhere; `place` says where its positions are here. Only for a new graph. */
  adopt(table: CommitTable, place: (position: number) => number): void {
    const count = table.positions.length;
    const room = Math.max(256, count + 1);
    this.#positions = grown(table.positions.map(place), new Int32Array(room));
    this.#trees = grown(table.trees.map(place), new Int32Array(room));
    this.#dates = grown(table.dates, new Float64Array(room));
    this.#parentStarts = grown(table.parentStarts, new Int32Array(room + 1));
    this.#parents = grown(table.parents.map(place), new Int32Array(Math.max(512, table.parents.length)));
    this.#count = count;
    for (let number = 0; number < count; number++) {
      this.#numbers[this.#positions[number]!] = number + 1;
    }
  }

  /** Position of the commit's tree. */
  treeOf(position: number): number {
    // Loading may replace the arrays, so it comes first; the same below.
    const number = this.#load(position);
    return this.#trees[number]!;
  }

  /** Committer date in seconds; 0 when the commit's own cannot be read. */
  dateOf(position: number): number {
    const number = this.#load(position);
    return this.#dates[number]!;
  }

  parentCount(position: number): number {
    const number = this.#load(position);
    return this.#parentStarts[number + 1]! - this.#parentStarts[number]!;
  }

  /** Position of a parent, counted from 0. */
  parentAt(position: number, index: number): number {
    const number = this.#load(position);
    return this.#parents[this.#parentStarts[number]! + index]!;
  }

  /** How many commits are known. */
  get size(): number {
    return this.#count;
  }

  /** The commit's number, below `size`: commits are numbered in the order in which they were first loaded. */
  numberOf(position: number): number {
    return this.#load(position);
  }

  #load(position: number): number {
    const known = this.#numbers[position]!;
    return known > 0 ? known - 1 : this.#parse(position);
  }

  #parse(position: number): number {
    const { type, bytes } = this.db.read(position);
    if (type !== ObjectType.commit) {
      throw new CorruptObject(`The object ${this.db.hexAt(position)} is a ${typeName(type)} where a commit is needed`);
    }
    const { hexLength } = this.db.format;
    const tree = this.#reference(position, bytes, 5);
    let at = hexLength + 6;
    let parentsEnd = this.#parentStarts[this.#count]!;
    // "parent <oid>\n"; nothing else that begins with a p may stand here.
    while (bytes[at] === 0x70) {
      if (parentsEnd === this.#parents.length) {
        this.#parents = grown(this.#parents, new Int32Array(parentsEnd * 2));
      }
      this.#parents[parentsEnd++] = this.#reference(position, bytes, at + 7);
      at += hexLength + 8;
    }
    const number = this.#count++;
    if (this.#count === this.#trees.length) {
      this.#positions = grown(this.#positions, new Int32Array(this.#count * 2));
      this.#trees = grown(this.#trees, new Int32Array(this.#count * 2));
      this.#dates = grown(this.#dates, new Float64Array(this.#count * 2));
      this.#parentStarts = grown(this.#parentStarts, new Int32Array(this.#count * 2 + 1));
    }
    this.#positions[number] = position;
    this.#trees[number] = tree;
    this.#dates[number] = committerDate(bytes, at);
    this.#parentStarts[number + 1] = parentsEnd;
    this.#numbers[position] = number + 1;
    return number;
  }

  #reference(position: number, bytes: Uint8Array, at: number): number {
    if (!parseHexAt(bytes, at, this.#oid)) {
      throw new CorruptObject(`The commit ${this.db.hexAt(position)} is malformed`);
    }
    const found = this.db.find(this.#oid);
    if (found < 0) {
      throw new MissingObject(bytesToHex(this.#oid));
    }
    return found;
  }
}

function grown<Numbers extends Int32Array | Float64Array>(from: ArrayLike<number>, to: Numbers): Numbers {
  to.set(from);
  return to;
}
