import { isAncestor } from "../graph/merge-bases.ts";
import type { Job, Steps } from "../job/job.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import { readCommitRecord } from "../log/commit-record.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { commitPosition } from "./commit-position.ts";
import { Memo } from "./memo.ts";
import { OpenRepository } from "./open-repository.ts";
import { previewMerge, type MergePreview, type PreviewMergeArgs } from "./preview-merge.ts";

export interface ExamineProposalArgs extends PreviewMergeArgs {
  /** the head before; null: there was none */
  readonly from: string | null;
}

export interface ProposalAnswer {
  readonly preview: MergePreview;
  /** the head before has commits that the new one does not reach */
  readonly forced: boolean;
  /** of the head */
  readonly message: string;
}

/**
 * Previews the merge of a pushed commit, in packs that may not be published yet. Throws MissingObject, CorruptObject,
 * CorruptPack, DiffTooCostly, EngineCancelled.
 */
export async function examineProposal(
  view: RepositoryView,
  args: ExamineProposalArgs,
  caches: EngineCaches,
  job: Job,
): Promise<ProposalAnswer> {
  using repository = new OpenRepository(view, caches, new Memo(0), null);
  return finish(answer(repository, args), job);
}

function* answer(repository: OpenRepository, args: ExamineProposalArgs): Steps<ProposalAnswer> {
  const head = commitPosition(repository, args.head);
  const isForward =
    args.from === null || (yield* isAncestor(repository.generations, commitPosition(repository, args.from), head));
  const { message } = readCommitRecord(repository.odb, head);
  return { preview: yield* previewMerge(repository, args), forced: !isForward, message };
}

/** An indexing worker does one thing at a time, so the steps follow each other at once. */
function finish<Result>(steps: Steps<Result>, job: Job): Result {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    job.throwIfCancelled();
  }
  return step.value;
}
