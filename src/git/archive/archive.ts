import { parseCommit, type Commit } from "../objects/commit.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType } from "../objects/object-type.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { peel } from "../graph/peel.ts";
import type { ByteSteps } from "../job/job.ts";
import { archiveEntries } from "./archive-entries.ts";
import type { ArchiveRequest } from "./archive-request.ts";
import { CommitFormatter } from "./format-commit.ts";
import { gzipSteps } from "./gzip-steps.ts";
import { substituteFormats } from "./substitute-formats.ts";
import { writeTar } from "./write-tar.ts";
import { writeZip } from "./write-zip.ts";

const defaultLevel = 6;

/**
 * The bytes of an archive, as `git archive` makes it (of tar equal byte by byte; of the others, what is in them).
 * Throws MissingObject, CorruptObject (also for a treeish that is neither commit nor tree), CorruptPack, PathNotInTree, PathTooLong.
 */
export function* archive(odb: ObjectDatabase, request: ArchiveRequest): ByteSteps {
  const { commit, oid, tree } = resolve(odb, request.treeish);
  const formatter =
    commit === null ? null : new CommitFormatter(odb, oid, commit, request.decorations ?? { head: null, refs: [] });
  const entries = archiveEntries({
    odb,
    tree,
    prefix: request.prefix,
    paths: request.paths,
    files: latin1Paths(request.files),
    // A zip file's entry is compressed in steps.
    readOnce: request.format !== "zip",
    substitute:
      formatter === null || request.files !== undefined ? null : (content) => substituteFormats(content, formatter),
  });
  const seconds = request.seconds ?? Math.max(0, commit?.committer.seconds ?? Math.floor(Date.now() / 1000));
  const options = { commit: commit === null ? null : oid, seconds };
  const level = request.level ?? defaultLevel;
  switch (request.format) {
    case "tar":
      return yield* writeTar(entries, options);
    case "tar.gz":
      return yield* gzipSteps(writeTar(entries, options), level);
    case "zip":
      return yield* writeZip(entries, { ...options, level });
  }
}

const latin1 = (path: string): string => Buffer.from(path, "utf8").toString("latin1");

/** Paths are read with each byte as a character. */
function latin1Paths(files: ArchiveRequest["files"]): ReadonlyMap<string, string> | null {
  return files === undefined ? null : new Map([...files].map(([path, name]) => [latin1(path), latin1(name)]));
}

function resolve(odb: ObjectDatabase, treeish: string): { commit: Commit | null; oid: string; tree: string } {
  const start = odb.findHex(treeish);
  if (start < 0) {
    throw new MissingObject(treeish);
  }
  const { position, type } = peel(odb, start);
  const oid = odb.hexAt(position);
  if (type === ObjectType.tree) {
    return { commit: null, oid, tree: oid };
  }
  if (type !== ObjectType.commit) {
    throw new CorruptObject(`Cannot make an archive of ${oid}, which is neither a commit nor a tree`);
  }
  const commit = parseCommit(odb.read(position).bytes, odb.format);
  return { commit, oid, tree: commit.tree };
}
