import type { ObjectDatabase } from "../odb/object-database.ts";
import { Closures } from "./closures.ts";
import { CommitGraph } from "./commit-graph.ts";
import { FilteredClosures } from "./filtered-closures.ts";
import { Placement } from "./placement.ts";
import { readReachability } from "./reachability-file.ts";

/** Only packs that hold all that their commits reach have a file: the largest one, if any. */
const maxFilesTried = 3;

/**
 * A worker's state for one list of packs: the objects and the known links between them. Disposing closes the database.
 */
export class RepositoryReader implements Disposable {
  readonly graph: CommitGraph;
  readonly closures: Closures;
  readonly filtered: FilteredClosures;

  /** checkTypes: see Closures */
  constructor(
    readonly db: ObjectDatabase,
    checkTypes = false,
  ) {
    this.graph = new CommitGraph(db);
    this.closures = new Closures(this.graph, checkTypes);
    this.filtered = new FilteredClosures(db);
  }

  /**
   * Takes over what is known already: from the reader of the packs before the last pushes, if that is given, else from
   * the file beside the largest pack that has one. Only for a new reader. Returns whether commits have the numbers that
   * they have in the other reader.
   */
  inherit(previous: RepositoryReader | null): boolean {
    const { packs } = this.db;
    const firstOld = previous === null ? -1 : packs.length - previous.db.packs.length;
    if (
      previous !== null &&
      firstOld >= 0 &&
      previous.db.packs.every(({ path }, number) => path === packs[firstOld + number]!.path)
    ) {
      const placement = new Placement(this.db, firstOld);
      this.graph.adopt(previous.graph.table, placement.of);
      this.closures.adopt(previous.closures.kept, placement);
      return true;
    }
    const numbers = packs
      .map((_, number) => number)
      .toSorted((left, right) => packs[right]!.entryCount - packs[left]!.entryCount);
    for (const number of numbers.slice(0, maxFilesTried)) {
      const known = readReachability(packs[number]!);
      if (known !== null) {
        const placement = new Placement(this.db, number);
        this.graph.adopt(known.commits, placement.of);
        this.closures.adopt(known.closures, placement);
        return false;
      }
    }
    return false;
  }

  [Symbol.dispose](): void {
    this.db[Symbol.dispose]();
  }
}
