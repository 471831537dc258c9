import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { patternWork } from "../../lib/pattern-steps.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import type { Bitset } from "./bitset.ts";
import { FilterTooCostly } from "./filter-too-costly.ts";
import { keepsBlobs, type ObjectFilter } from "./object-filter.ts";

/** Where a tree stands. */
interface Place {
  readonly path: string;
  readonly depth: number;
  /** for each sparse specification what holds for entries that it says nothing about */
  readonly matches: readonly boolean[];
  /** trees that were looked at here */
  readonly visited: Set<number>;
}

/** Looks at a tree in one place cost a set entry and a walk through its entries. */
const maxVisits = 8_000_000;
/** Others have a turn after so many looks, or so much work with patterns: about 4 ms. */
const visitsAtOnce = 500;
const globWorkAtOnce = 400_000;

/**
 * Adds trees and what they have to a set, as far as a filter keeps it that asks where things stand: `tree:<depth>` and
 * sparse specifications. What is in `known` is left alone with everything below it.
 */
export class PlacedTrees {
  readonly #places = new Map<string, Place>();
  /** without sparse specifications: the least depth at which a tree was looked at */
  readonly #depths = new Map<number, number>();
  readonly #pending: { position: number; place: Place }[] = [];
  #visits = 0;
  #pauseAt = visitsAtOnce;

  constructor(
    private readonly db: ObjectDatabase,
    private readonly objects: Bitset,
    private readonly known: Bitset | null,
    private readonly filter: ObjectFilter,
  ) {}

  /**
   * Adds the tree of a commit, if it is kept, and what it has. Yields where others may have their turn; returns how many
   * trees were looked at. Throws FilterTooCostly, MissingObject, CorruptObject.
   */
  *mark(root: number): Generator<undefined, number> {
    return this.filter.treeDepth > 0 ? yield* this.#walk(root, 0) : 0;
  }

  /** Marks a tree that is wanted by name. */
  *markWanted(root: number): Generator<undefined, number> {
    this.objects.add(root);
    return yield* this.#walk(root, -1);
  }

  *#walk(root: number, depth: number): Generator<undefined, number> {
    const before = this.#visits;
    if (this.known?.has(root) !== true) {
      this.#enter(
        root,
        this.#place("", depth, () => this.filter.sparse.map((patterns) => patterns.match("", true) ?? false)),
      );
      for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
        yield* this.#visit(next.position, next.place);
        if (this.#visits >= this.#pauseAt) {
          this.#pauseAt = this.#visits + visitsAtOnce;
          yield;
        }
      }
    }
    return this.#visits - before;
  }

  #place(path: string, depth: number, matches: () => readonly boolean[]): Place {
    const key = `${depth} ${path}`;
    const place = this.#places.get(key) ?? { path, depth, matches: matches(), visited: new Set() };
    this.#places.set(key, place);
    return place;
  }

  /** Has a tree looked at, unless it was at this place or, without specifications, nearer to a root. */
  #enter(position: number, place: Place): void {
    const { types, sparse, treeDepth } = this.filter;
    if (place.depth >= 0 && types.includes(ObjectType.tree)) {
      this.objects.add(position);
    }
    if (place.depth + 1 >= treeDepth) {
      return;
    }
    if (sparse.length === 0) {
      if ((this.#depths.get(position) ?? Number.POSITIVE_INFINITY) <= place.depth) {
        return;
      }
      this.#depths.set(position, place.depth);
    } else {
      if (place.visited.has(position)) {
        return;
      }
      place.visited.add(position);
    }
    this.#visits++;
    if (this.#visits > maxVisits) {
      throw new FilterTooCostly("its trees stand at too many paths");
    }
    this.#pending.push({ position, place });
  }

  *#visit(position: number, place: Place): Generator<undefined, void> {
    const { db, known, filter } = this;
    const { type, bytes } = db.read(position);
    if (type !== ObjectType.tree) {
      throw new CorruptObject(`The object ${db.hexAt(position)} is a ${typeName(type)} where a tree is needed`);
    }
    const depth = place.depth + 1;
    const names = filter.sparse.length > 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null;
    const pathOf = (cursor: TreeCursor): string =>
      names === null
        ? ""
        : `${place.path === "" ? "" : `${place.path}/`}${names.toString("latin1", cursor.nameAt, cursor.nameEnd)}`;
    let pauseAt = patternWork() + globWorkAtOnce;
    for (const cursor = new TreeCursor(bytes, db.format); cursor.valid; cursor.next()) {
      if (patternWork() >= pauseAt) {
        yield;
        pauseAt = patternWork() + globWorkAtOnce;
      }
      const isSubmodule = (cursor.mode & 0o170000) === 0o160000;
      if (isSubmodule || (!cursor.isTree && !keepsBlobs(filter))) {
        continue;
      }
      const entry = db.find(bytes, cursor.oidAt);
      if (entry < 0) {
        throw new MissingObject(bytesToHex(bytes, cursor.oidAt, db.format.oidBytes));
      }
      if (known?.has(entry) === true) {
        continue;
      }
      if (cursor.isTree) {
        const path = pathOf(cursor);
        this.#enter(
          entry,
          this.#place(path, depth, () =>
            filter.sparse.map((patterns, index) => patterns.match(path, true) ?? place.matches[index] === true),
          ),
        );
      } else if (
        !this.objects.has(entry) &&
        (filter.blobLimit === Number.POSITIVE_INFINITY || db.sizeAt(entry) < filter.blobLimit)
      ) {
        const path = pathOf(cursor);
        if (filter.sparse.every((patterns, index) => patterns.match(path, false) ?? place.matches[index] === true)) {
          this.objects.add(entry);
        }
      }
    }
  }
}
