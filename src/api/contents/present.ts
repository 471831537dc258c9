import type { Static } from "elysia";
import type { ContentsExtEntry, ContentsResponse } from "./schema.ts";
import type { ContentEntry } from "../../domain/git/contents/content-reader.ts";
import type { LfsPointer } from "../../domain/git/lfs/pointer.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { utcDate } from "../commits/dates.ts";
import type { Place } from "../commits/present.ts";

const types = { blob: "file", tree: "dir", symlink: "symlink", submodule: "submodule" } as const;

/** By what a commit was named: the addresses of an entry name it the same way. */
type NamedRevision = Pick<Revision, "kind" | "name">;

/** Presents the fields that files, directories, links and submodules share. `bytes` is the content if it is shown. */
function presentEntry(
  { addresses, owner, name }: Place,
  revision: NamedRevision,
  entry: ContentEntry,
  bytes: Uint8Array | null,
) {
  const { type, path } = entry;
  const url = addresses.contentsApi(owner, name, path, revision.name);
  const isModule = type === "submodule";
  const html = isModule ? null : addresses.source(owner, name, revision.kind, revision.name, path);
  const git = isModule ? null : addresses.gitApi(owner, name, type === "tree" ? "trees" : "blobs", entry.oid);
  const isFile = type === "blob" && bytes !== null;
  return {
    name: entry.name,
    path,
    sha: entry.oid,
    type: types[type],
    size: entry.size ?? 0,
    encoding: isFile ? "base64" : null,
    content: isFile ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") : null,
    target: entry.target,
    url,
    html_url: html,
    git_url: git,
    download_url: type === "blob" || type === "symlink" ? addresses.rawApi(owner, name, path, revision.name) : null,
    submodule_git_url: entry.submoduleUrl,
    _links: { self: url, git, html },
  };
}

/** A file, directory, link or submodule as the family's ContentsResponse. `bytes` is the content where it is told. */
export function presentContents(
  place: Place,
  revision: NamedRevision,
  entry: ContentEntry,
  bytes: Uint8Array | null,
): Static<typeof ContentsResponse> {
  return {
    ...presentEntry(place, revision, entry, bytes),
    last_commit_sha: entry.lastCommit?.oid ?? "",
    last_commit_when: utcDate(entry.lastCommit?.seconds ?? 0),
  };
}

/** Optional details of an entry. */
export interface EntryExtras {
  /** The commit that last changed it; its message is told only if `message` says so. */
  commit?: CommitRecord | undefined;
  message?: boolean;
  /** null: no file that stands for one in LFS. */
  pointer?: LfsPointer | null;
}

/** An entry with those of the extras that were asked for. */
export function presentExtended(
  place: Place,
  revision: NamedRevision,
  entry: ContentEntry,
  bytes: Uint8Array | null,
  { commit, message = false, pointer = null }: EntryExtras,
): Static<typeof ContentsExtEntry> {
  return {
    ...presentEntry(place, revision, entry, bytes),
    ...(commit === undefined
      ? {}
      : {
          last_commit_sha: commit.oid,
          last_committer_date: utcDate(commit.committer.seconds),
          last_author_date: utcDate(commit.author.seconds),
        }),
    ...(commit !== undefined && message ? { last_commit_message: commit.message } : {}),
    ...(pointer === null ? {} : { lfs_oid: pointer.oid, lfs_size: pointer.size }),
  };
}
