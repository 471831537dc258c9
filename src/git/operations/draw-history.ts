import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import { LaneDrawing, type LaneRow } from "../log/lanes.ts";
import { listCommits } from "../log/list-commits.ts";
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

/** Commits in the order of `git log`, placed in lanes. Throws MissingObject, CorruptObject, CorruptPack. */
export function* drawHistory(repository: OpenRepository, args: DrawHistoryArgs): Steps<DrawHistoryResult> {
  const { graph, odb } = repository;
  const { skip, limit } = args;
  const tips = args.tips.map((oid) => commitPosition(repository, oid));
  const positions = yield* listCommits(graph, { tips, not: [], paths: [] }, skip + limit + 1);
  const drawing = new LaneDrawing();
  const rows: DrawnCommit[] = [];
  for (const [index, position] of positions.slice(0, skip + limit).entries()) {
    const parents = Array.from({ length: graph.parentCount(position) }, (_, at) => graph.parentAt(position, at));
    const { lane, colour, lines } = drawing.place(position, [...new Set(parents)]);
    if (index >= skip) {
      rows.push({ commit: readCommitRecord(odb, position), lane, colour, lines });
    }
    if ((index & 0xff) === 0) {
      yield;
    }
  }
  return { rows, hasMore: positions.length > skip + limit };
}
