import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import { LaneDrawing, type LaneRow } from "../log/lanes.ts";
import { Bitset } from "../graph/bitset.ts";
import { GenerationQueue } from "../graph/generations.ts";
import type { Steps } from "../job/job.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface DrawHistoryArgs {
  /** hexadecimal oids of commits to start from */
  readonly tips: readonly string[];
  /** rows that are placed and not answered: the ones before the page */
  readonly skip: number;
  readonly limit: number;
}

export interface DrawnCommit extends LaneRow {
  readonly commit: CommitRecord;
}

export interface DrawHistoryResult {
  readonly rows: readonly DrawnCommit[];
  readonly hasMore: boolean;
}

/** Commits, none before its children and otherwise the latest first, placed in lanes. Throws MissingObject, CorruptObject, CorruptPack. */
export function* drawHistory(repository: OpenRepository, args: DrawHistoryArgs): Steps<DrawHistoryResult> {
  const { graph, odb, generations } = repository;
  const { skip, limit } = args;
  const tips = args.tips.map((oid) => commitPosition(repository, oid));
  yield* generations.reckon(tips);
  const queue = new GenerationQueue(generations);
  const queued = new Bitset(odb.size);
  const enqueue = (position: number): void => {
    if (!queued.has(position)) {
      queued.add(position);
      queue.push(position);
    }
  };
  tips.forEach(enqueue);
  const drawing = new LaneDrawing();
  const rows: DrawnCommit[] = [];
  for (let index = 0; index < skip + limit && queue.length > 0; index++) {
    const position = queue.pop();
    const parents = Array.from({ length: graph.parentCount(position) }, (_, at) => graph.parentAt(position, at));
    const { lane, colour, lines } = drawing.place(position, [...new Set(parents)]);
    parents.forEach(enqueue);
    if (index >= skip) {
      rows.push({ commit: readCommitRecord(odb, position), lane, colour, lines });
    }
    if ((index & 0xff) === 0) {
      yield;
    }
  }
  return { rows, hasMore: queue.length > 0 };
}
