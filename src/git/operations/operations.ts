import type { BlamedLines } from "../blame/blame-file.ts";
import type { AheadBehind } from "../graph/ahead-behind.ts";
import type { AffectedFile } from "../log/affected-files.ts";
import type { FileChange } from "../edit/apply-changes.ts";
import type { GrepResult } from "../grep/grep-tree.ts";
import type { CommitRecord } from "../log/commit-record.ts";
import type { MergedTree } from "../merge/merge-trees.ts";
import type { AheadBehindArgs } from "./ahead-behind.ts";
import type { BlameArgs } from "./blame.ts";
import type { ArchiveArgs } from "./archive.ts";
import type { PackStatistics } from "../fsck/pack-statistics.ts";
import type { CheckRepositoryArgs, CheckRepositoryResult } from "./check-repository.ts";
import type { ChangedFilesArgs } from "./changed-files.ts";
import type { ChangesOfPatchArgs } from "./changes-of-patch.ts";
import type { CommitChangesArgs, CommitChangesResult } from "./commit-changes.ts";
import type { CommitDatesArgs } from "./commit-dates.ts";
import type { CommitCopyArgs } from "./commit-copy.ts";
import type { CommitMergeArgs, CommitMergeResult } from "./commit-merge.ts";
import type { CompareFilesArgs, CompareFilesResult } from "./compare-files.ts";
import type { CommitSeriesArgs, CommitSeriesResult } from "./commit-series.ts";
import type { CommitsToPickArgs } from "./commits-to-pick.ts";
import type { ContributionsArgs, ContributionsResult } from "./contributions.ts";
import type { ContainingTipsArgs } from "./containing-tips.ts";
import type { CountLanguagesArgs } from "./count-languages.ts";
import type { LanguageBytes } from "../languages/count-languages.ts";
import type { DrawHistoryArgs, DrawHistoryResult } from "./draw-history.ts";
import type { CreateTagArgs } from "./create-tag.ts";
import type { FetchPackArgs } from "./fetch-pack.ts";
import type { DiffContentsArgs, DiffContentsResult } from "./diff-contents.ts";
import type { DiffFilesArgs, DiffFilesResult } from "./diff-files.ts";
import type { ExamineMovesArgs, MoveAnswer } from "./examine-moves.ts";
import type { ExamineProposalArgs, ProposalAnswer } from "./examine-proposal.ts";
import type { EditNoteArgs, EditNoteResult } from "./edit-note.ts";
import type { FindNoteArgs, FoundNote } from "./find-note.ts";
import type { FormatPatchArgs } from "./format-patch.ts";
import type { FollowLinesArgs, LinePlace } from "./follow-lines.ts";
import type { GrepArgs } from "./grep.ts";
import type { IndexPackArgs, IndexPackResult } from "./index-received-pack.ts";
import type { IsAncestorArgs } from "./is-ancestor.ts";
import type { IsReachableArgs } from "./is-reachable.ts";
import type { LastCommit } from "./known-last-commits.ts";
import type { LastCommitsArgs } from "./last-commits.ts";
import type { LineHunk, LineHunksArgs } from "./line-hunks.ts";
import type { ListDiffedArgs, ListedFile } from "./list-diffed.ts";
import type { ListPathsArgs, ListPathsResult } from "./list-paths.ts";
import type { ListTreeArgs, ListTreeResult } from "./list-tree.ts";
import type { LogArgs, LogResult } from "./log.ts";
import type { MergeBasesArgs } from "./merge-bases.ts";
import type { MergeTextsArgs, MergeTextsResult } from "./merge-texts.ts";
import type { MergeTreesArgs } from "./merge-trees.ts";
import type { StagedPack } from "../pack/staged-pack.ts";
import type { RoundResult } from "../transport/negotiate.ts";
import type { NegotiateArgs } from "./negotiate.ts";
import type { PatchArgs } from "./patch.ts";
import type { MergePreview, PreviewMergeArgs } from "./preview-merge.ts";
import type { ObjectSizesArgs } from "./object-sizes.ts";
import type { RangeDiffArgs, RangeDiffResult } from "./range-diff.ts";
import type { ReadBlobArgs } from "./read-blob.ts";
import type { PushedCommitsArgs, PushedCommitsResult } from "./pushed-commits.ts";
import type { ReferringCommit } from "./referring-commits.ts";
import type { FileConflict, ReadConflictsArgs } from "./read-conflicts.ts";
import type { ReadCommitsArgs } from "./read-commits.ts";
import type { ReadObjectArgs, ReadObjectResult } from "./read-object.ts";
import type { ReadPathArgs, ReadPathResult } from "./read-path.ts";
import type { ReadTagArgs, TagRecord } from "./read-tag.ts";
import type { PackLooseObjectsArgs } from "./pack-loose-objects.ts";
import type { PickCommitsArgs, PickCommitsResult } from "./pick-commits.ts";
import type { RepackArgs, RepackResult } from "./repack-objects.ts";
import type { ResolveObjectArgs, ResolveObjectResult } from "./resolve-object.ts";
import type { SameChangesArgs } from "./same-changes.ts";
import type { SearchCommitsArgs, SearchCommitsResult } from "./search-commits.ts";
import type { SmallBlobsArgs } from "./small-blobs.ts";
import type { WriteObjectsArgs, WrittenPack } from "./write-objects.ts";

/** The operations of a git worker, for `GitEngine.call`. */
export interface Operations {
  aheadBehind: { args: AheadBehindArgs; result: readonly AheadBehind[] };
  blame: { args: BlameArgs; result: readonly BlamedLines[] | null };
  changedFiles: { args: ChangedFilesArgs; result: readonly AffectedFile[] };
  changesOfPatch: { args: ChangesOfPatchArgs; result: readonly FileChange[] };
  commitDates: { args: CommitDatesArgs; result: readonly number[] };
  commitsToPick: { args: CommitsToPickArgs; result: readonly CommitRecord[] };
  compareFiles: { args: CompareFilesArgs; result: CompareFilesResult };
  contributions: { args: ContributionsArgs; result: ContributionsResult };
  drawHistory: { args: DrawHistoryArgs; result: DrawHistoryResult };
  diffContents: { args: DiffContentsArgs; result: DiffContentsResult | null };
  containingTips: { args: ContainingTipsArgs; result: readonly boolean[] };
  diffFiles: { args: DiffFilesArgs; result: DiffFilesResult };
  findNote: { args: FindNoteArgs; result: FoundNote | null };
  followLines: { args: FollowLinesArgs; result: readonly (LinePlace | null)[] };
  grep: { args: GrepArgs; result: GrepResult };
  isAncestor: { args: IsAncestorArgs; result: boolean };
  isReachable: { args: IsReachableArgs; result: boolean };
  lastCommits: { args: LastCommitsArgs; result: (LastCommit | null)[] };
  lineHunks: { args: LineHunksArgs; result: readonly LineHunk[] };
  listDiffed: { args: ListDiffedArgs; result: readonly ListedFile[] };
  listPaths: { args: ListPathsArgs; result: ListPathsResult };
  listTree: { args: ListTreeArgs; result: ListTreeResult | null };
  log: { args: LogArgs; result: LogResult };
  mergeBases: { args: MergeBasesArgs; result: readonly string[] };
  mergeTexts: { args: MergeTextsArgs; result: MergeTextsResult | null };
  mergeTrees: { args: MergeTreesArgs; result: MergedTree };
  objectSizes: { args: ObjectSizesArgs; result: readonly (number | null)[] };
  negotiate: { args: NegotiateArgs; result: RoundResult };
  previewMerge: { args: PreviewMergeArgs; result: MergePreview };
  pushedCommits: { args: PushedCommitsArgs; result: readonly PushedCommitsResult[] };
  rangeDiff: { args: RangeDiffArgs; result: RangeDiffResult };
  referringCommits: { args: PushedCommitsArgs; result: readonly (readonly ReferringCommit[])[] };
  readConflicts: { args: ReadConflictsArgs; result: readonly FileConflict[] };
  readCommits: { args: ReadCommitsArgs; result: (CommitRecord | null)[] };
  readObject: { args: ReadObjectArgs; result: ReadObjectResult | null };
  readPath: { args: ReadPathArgs; result: ReadPathResult | null };
  readTag: { args: ReadTagArgs; result: TagRecord | null };
  resolveObject: { args: ResolveObjectArgs; result: ResolveObjectResult | null };
  sameChanges: { args: SameChangesArgs; result: readonly boolean[] };
  searchCommits: { args: SearchCommitsArgs; result: SearchCommitsResult };
}

/** The streams of a git worker, for `GitEngine.stream`. */
export interface Streams {
  archive: { args: ArchiveArgs };
  fetchPack: { args: FetchPackArgs };
  formatPatch: { args: FormatPatchArgs };
  patch: { args: PatchArgs };
  readBlob: { args: ReadBlobArgs };
}

/** The operations of the maintenance worker, for `GitEngine.maintain`: long work for which no client waits. */
export interface MaintenanceOperations {
  checkRepository: { args: CheckRepositoryArgs; result: CheckRepositoryResult };
  countLanguages: { args: CountLanguagesArgs; result: LanguageBytes | null };
  countObjects: { args: null; result: PackStatistics };
  packLooseObjects: { args: PackLooseObjectsArgs; result: number };
  repack: { args: RepackArgs; result: RepackResult };
}

/**
 * The operations of an indexing worker, for `GitEngine.write` and `GitEngine.index`. They make files, except
 * `examineMoves`, `examineProposal` and `smallBlobs`, which read packs that are not published yet.
 */
export interface WriteOperations {
  commitChanges: { args: CommitChangesArgs; result: CommitChangesResult };
  commitCopy: { args: CommitCopyArgs; result: { readonly commit: string; readonly pack: StagedPack } };
  commitMerge: { args: CommitMergeArgs; result: CommitMergeResult };
  commitSeries: { args: CommitSeriesArgs; result: CommitSeriesResult };
  createTag: { args: CreateTagArgs; result: WrittenPack & { readonly oid: string } };
  editNote: { args: EditNoteArgs; result: EditNoteResult };
  examineMoves: { args: ExamineMovesArgs; result: readonly MoveAnswer[] };
  examineProposal: { args: ExamineProposalArgs; result: ProposalAnswer };
  indexPack: { args: IndexPackArgs; result: IndexPackResult };
  pickCommits: { args: PickCommitsArgs; result: PickCommitsResult };
  smallBlobs: { args: SmallBlobsArgs; result: readonly Uint8Array[] };
  writeObjects: { args: WriteObjectsArgs; result: WrittenPack & { readonly oids: readonly string[] } };
}
