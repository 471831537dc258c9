import type { ObjectDatabase } from "../odb/object-database.ts";
import { Closures } from "./closures.ts";
import { CommitGraph } from "./commit-graph.ts";

/** What a worker keeps of one list of packs: the objects and what was learnt of how they hang together. Closes the database. */
export class RepositoryReader implements Disposable {
  readonly graph: CommitGraph;
  readonly closures: Closures;

  constructor(readonly db: ObjectDatabase) {
    this.graph = new CommitGraph(db);
    this.closures = new Closures(this.graph);
  }

  [Symbol.dispose](): void {
    this.db[Symbol.dispose]();
  }
}
