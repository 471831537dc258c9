import { SharedSteps } from "../../lib/shared-steps.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { Generations } from "../graph/generations.ts";
import type { ReachableObjects } from "../graph/reachable-objects.ts";
import { RepositoryReader } from "../graph/repository-reader.ts";
import { objectFormat, type ObjectFormat } from "../objects/object-format.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import type { Steps } from "../job/job.ts";
import { MemoScope, type Memo } from "./memo.ts";
import { repositoryOf, type RepositoryView } from "../job/repository-view.ts";

/** Users who may see different refs ask by turns. */
const keptReachable = 4;

/** One view of a repository, open in a worker: its objects, what was learnt of them, and results worth keeping. */
export class OpenRepository implements Disposable {
  readonly format: ObjectFormat;
  readonly odb: ObjectDatabase;
  readonly reader: RepositoryReader;
  /** results that hold for this list of packs, such as positions */
  readonly viewMemo: MemoScope;
  /** results that follow from the oids in their key alone: they outlive a push */
  readonly objectMemo: MemoScope;
  #generations: Generations | null = null;
  /** Not in the memo: each holds the commit graph of this view, which is to go with it. */
  readonly #reachable = new Map<string, ReachableObjects>();
  readonly #underWay = new SharedSteps<void, unknown>();

  /** previous: an earlier view of the repository, whose knowledge is taken over. Throws CorruptPack when a pack or its index cannot be opened. */
  constructor(view: RepositoryView, caches: EngineCaches, memo: Memo, previous: OpenRepository | null) {
    this.format = objectFormat(view.format);
    this.odb = ObjectDatabase.open(this.format, view.packs, caches);
    this.reader = new RepositoryReader(this.odb);
    if (this.reader.inherit(previous?.reader ?? null)) {
      this.#generations = previous?.generations.copy(this.graph) ?? null;
    }
    this.viewMemo = new MemoScope(memo, `view ${view.key}\0`);
    this.objectMemo = new MemoScope(memo, `repository ${repositoryOf(view.key)}\0`);
  }

  get graph(): CommitGraph {
    return this.reader.graph;
  }

  get generations(): Generations {
    this.#generations ??= new Generations(this.graph);
    return this.#generations;
  }

  /**
   * Returns the objects that certain refs reach, and keeps the last few results. The caller guarantees that the key
   * identifies the refs.
   */
  reachableFrom(key: string, make: () => ReachableObjects): ReachableObjects {
    const reachable = this.#reachable.get(key) ?? make();
    this.#reachable.delete(key);
    this.#reachable.set(key, reachable);
    for (const oldest of this.#reachable.keys()) {
      if (this.#reachable.size <= keptReachable) {
        break;
      }
      this.#reachable.delete(oldest);
    }
    return reachable;
  }

  /** Does work that several requests may want at once only once. The caller vouches for the type of its result by the key. */
  *once<Result>(key: string, make: () => Steps<Result>): Steps<Result> {
    return (yield* this.#underWay.join(key, make)) as Result;
  }

  [Symbol.dispose](): void {
    this.reader[Symbol.dispose]();
  }
}
