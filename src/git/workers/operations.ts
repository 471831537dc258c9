import type { BlamedLines } from "../blame/blame-file.ts";
import type { AheadBehind } from "../graph/ahead-behind.ts";
import type { AffectedFile } from "../log/affected-files.ts";
import type { FileChange } from "../edit/apply-changes.ts";
import type { GrepResult } from "../grep/grep-tree.ts";
import type { CommitRecord } from "../log/commit-record.ts";
import type { MergedTree } from "../merge/merge-trees.ts";
import type { AheadBehindArgs } from "./operations/ahead-behind.ts";
import type { BlameArgs } from "./operations/blame.ts";
import type { ArchiveArgs } from "./operations/archive.ts";
import type { PackStatistics } from "../fsck/pack-statistics.ts";
import type { CheckRepositoryArgs, CheckRepositoryResult } from "./operations/check-repository.ts";
import type { ChangedFilesArgs } from "./operations/changed-files.ts";
import type { ChangesOfPatchArgs } from "./operations/changes-of-patch.ts";
import type { CommitChangesArgs, CommitChangesResult } from "./operations/commit-changes.ts";
import type { CommitMergeArgs, CommitMergeResult } from "./operations/commit-merge.ts";
import type { CommitSeriesArgs, CommitSeriesResult } from "./operations/commit-series.ts";
import type { CreateTagArgs } from "./operations/create-tag.ts";
import type { FetchPackArgs } from "./operations/fetch-pack.ts";
import type { EditNoteArgs, EditNoteResult } from "./operations/edit-note.ts";
import type { FindNoteArgs, FoundNote } from "./operations/find-note.ts";
import type { GrepArgs } from "./operations/grep.ts";
import type { IndexPackArgs, IndexPackResult } from "./operations/index-received-pack.ts";
import type { IsAncestorArgs } from "./operations/is-ancestor.ts";
import type { IsReachableArgs } from "./operations/is-reachable.ts";
import type { ListTreeArgs, ListTreeResult } from "./operations/list-tree.ts";
import type { LogArgs, LogResult } from "./operations/log.ts";
import type { MergeBasesArgs } from "./operations/merge-bases.ts";
import type { MergeTreesArgs } from "./operations/merge-trees.ts";
import type { RoundResult } from "../transport/negotiate.ts";
import type { NegotiateArgs } from "./operations/negotiate.ts";
import type { PatchArgs } from "./operations/patch.ts";
import type { ObjectSizesArgs } from "./operations/object-sizes.ts";
import type { ReadBlobArgs } from "./operations/read-blob.ts";
import type { ReadCommitsArgs } from "./operations/read-commits.ts";
import type { ReadObjectArgs, ReadObjectResult } from "./operations/read-object.ts";
import type { ReadPathArgs, ReadPathResult } from "./operations/read-path.ts";
import type { ReadTagArgs, TagRecord } from "./operations/read-tag.ts";
import type { PackLooseObjectsArgs } from "./operations/pack-loose-objects.ts";
import type { RepackArgs, RepackResult } from "./operations/repack-objects.ts";
import type { ResolveObjectArgs, ResolveObjectResult } from "./operations/resolve-object.ts";
import type { WriteObjectsArgs, WrittenPack } from "./operations/write-objects.ts";

/** What `GitEngine.call` can ask of a git worker. */
export interface Operations {
  aheadBehind: { args: AheadBehindArgs; result: readonly AheadBehind[] };
  blame: { args: BlameArgs; result: readonly BlamedLines[] | null };
  changedFiles: { args: ChangedFilesArgs; result: readonly AffectedFile[] };
  changesOfPatch: { args: ChangesOfPatchArgs; result: readonly FileChange[] };
  findNote: { args: FindNoteArgs; result: FoundNote | null };
  grep: { args: GrepArgs; result: GrepResult };
  isAncestor: { args: IsAncestorArgs; result: boolean };
  isReachable: { args: IsReachableArgs; result: boolean };
  listTree: { args: ListTreeArgs; result: ListTreeResult | null };
  log: { args: LogArgs; result: LogResult };
  mergeBases: { args: MergeBasesArgs; result: readonly string[] };
  mergeTrees: { args: MergeTreesArgs; result: MergedTree };
  objectSizes: { args: ObjectSizesArgs; result: readonly (number | null)[] };
  negotiate: { args: NegotiateArgs; result: RoundResult };
  readCommits: { args: ReadCommitsArgs; result: (CommitRecord | null)[] };
  readObject: { args: ReadObjectArgs; result: ReadObjectResult | null };
  readPath: { args: ReadPathArgs; result: ReadPathResult | null };
  readTag: { args: ReadTagArgs; result: TagRecord | null };
  resolveObject: { args: ResolveObjectArgs; result: ResolveObjectResult | null };
}

/** What `GitEngine.stream` can ask of a git worker. */
export interface Streams {
  archive: { args: ArchiveArgs };
  fetchPack: { args: FetchPackArgs };
  patch: { args: PatchArgs };
  readBlob: { args: ReadBlobArgs };
}

/** What `GitEngine.maintain` can ask of the maintenance worker: long work that nobody waits for at the other end of a connection. */
export interface MaintenanceOperations {
  checkRepository: { args: CheckRepositoryArgs; result: CheckRepositoryResult };
  countObjects: { args: null; result: PackStatistics };
  packLooseObjects: { args: PackLooseObjectsArgs; result: number };
  repack: { args: RepackArgs; result: RepackResult };
}

/** What `GitEngine.write` and `GitEngine.index` can ask of an indexing worker. All of it makes files. */
export interface WriteOperations {
  commitChanges: { args: CommitChangesArgs; result: CommitChangesResult };
  commitMerge: { args: CommitMergeArgs; result: CommitMergeResult };
  commitSeries: { args: CommitSeriesArgs; result: CommitSeriesResult };
  createTag: { args: CreateTagArgs; result: WrittenPack & { readonly oid: string } };
  editNote: { args: EditNoteArgs; result: EditNoteResult };
  indexPack: { args: IndexPackArgs; result: IndexPackResult };
  writeObjects: { args: WriteObjectsArgs; result: WrittenPack & { readonly oids: readonly string[] } };
}
