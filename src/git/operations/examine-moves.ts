import { compileFilePatterns } from "../../lib/name-pattern.ts";
import { diffTrees } from "../diff/tree-diff.ts";
import { isAncestor as isAncestorOf, findMergeBases } from "../graph/merge-bases.ts";
import { listCommits } from "../log/list-commits.ts";
import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import { hexToBytes } from "../objects/oid.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import type { Job, Steps } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { rootTree } from "../tree/find-path.ts";
import { commitPosition } from "./commit-position.ts";
import { Memo } from "./memo.ts";
import { OpenRepository } from "./open-repository.ts";

/** A move of a branch; oids of commits, hexadecimal. */
export interface ExaminedMove {
  /** null: the branch is new, and is compared with what it has in common with `base` */
  readonly from: string | null;
  readonly to: string;
}

/** A question about a move. `patterns`: of files, between semicolons. */
export type MoveQuestion = ExaminedMove &
  (
    | { readonly ask: "gives-up-commits" }
    | { readonly ask: "file-that-matches" | "file-beside"; readonly patterns: string }
    | { readonly ask: "new-commits" }
  );

export type MoveAnswer =
  | { readonly kind: "yes-or-no"; readonly yes: boolean }
  /** The first such file in the order of git, null for none. */
  | { readonly kind: "file"; readonly path: string | null }
  | { readonly kind: "commits"; readonly commits: readonly CommitRecord[] }
  /** More than the question looks through. */
  | { readonly kind: "too-many" };

export interface ExamineMovesArgs {
  readonly questions: readonly MoveQuestion[];
  /** the commit of the default branch, null without one */
  readonly base: string | null;
  /** changed files that are looked through, of all moves together, at most for `milliseconds` */
  readonly maxFiles: number;
  readonly milliseconds: number;
  /** new commits that are answered, of all moves together */
  readonly maxCommits: number;
}

/**
 * Answers questions about moves that have not been made, in their order, in packs that may not be published yet. What is
 * asked of a new branch is asked of what it brings beside the default branch.
 * Throws MissingObject, CorruptObject, CorruptPack, EngineCancelled.
 */
export async function examineMoves(
  view: RepositoryView,
  args: ExamineMovesArgs,
  caches: EngineCaches,
  job: Job,
): Promise<readonly MoveAnswer[]> {
  using repository = new OpenRepository(view, caches, new Memo(0), null);
  const left: Left = {
    base: args.base,
    files: args.maxFiles,
    commits: args.maxCommits,
    until: performance.now() + args.milliseconds,
  };
  return args.questions.map((question) => finish(answer(repository, question, left), job));
}

/** The rest of the bounds. */
interface Left {
  readonly base: string | null;
  files: number;
  commits: number;
  readonly until: number;
}

function finish<Result>(steps: Steps<Result>, job: Job): Result {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    job.throwIfCancelled();
  }
  return step.value;
}

function* answer(repository: OpenRepository, question: MoveQuestion, left: Left): Steps<MoveAnswer> {
  const to = commitPosition(repository, question.to);
  const from = question.from === null ? null : commitPosition(repository, question.from);
  const base = left.base === null ? null : commitPosition(repository, left.base);
  switch (question.ask) {
    case "gives-up-commits":
      return {
        kind: "yes-or-no",
        yes: from !== null && !(yield* isAncestorOf(repository.generations, from, to)),
      };
    case "file-that-matches":
    case "file-beside": {
      const start =
        from ?? (base === null ? null : ((yield* findMergeBases(repository.generations, base, [to]))[0] ?? null));
      return yield* findFile(repository, start, to, { ...question, left });
    }
    case "new-commits": {
      const known = from ?? base;
      const selection = { tips: [to], not: known === null ? [] : [known], paths: [] };
      const positions = yield* listCommits(repository.graph, selection, left.commits + 1);
      if (positions.length > left.commits) {
        return { kind: "too-many" };
      }
      left.commits -= positions.length;
      return { kind: "commits", commits: positions.map((position) => readCommitRecord(repository.odb, position)) };
    }
  }
}

function* findFile(
  { odb }: OpenRepository,
  from: number | null,
  to: number,
  { ask, patterns, left }: { ask: "file-that-matches" | "file-beside"; patterns: string; left: Left },
): Steps<MoveAnswer> {
  const matches = compileFilePatterns(patterns, "patterns");
  const treeOf = (position: number) => hexToBytes(rootTree(odb, odb.hexAt(position)));
  for (const { path } of diffTrees(odb, from === null ? null : treeOf(from), treeOf(to))) {
    left.files--;
    if (left.files < 0 || performance.now() > left.until) {
      return { kind: "too-many" };
    }
    if (matches(path) === (ask === "file-that-matches")) {
      return { kind: "file", path };
    }
    yield;
  }
  return { kind: "file", path: null };
}
