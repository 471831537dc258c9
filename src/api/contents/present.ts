import type { ContentEntry } from "../../domain/contents/content-reader.ts";
import type { Revision } from "../../domain/refs/revisions.ts";
import { utcDate } from "../commits/dates.ts";
import type { Place } from "../commits/present.ts";

const types = { blob: "file", tree: "dir", symlink: "symlink", submodule: "submodule" } as const;

/** By what a commit was named: the addresses of an entry name it the same way. */
type NamedRevision = Pick<Revision, "kind" | "name">;

/** A file, directory, link or submodule as the family's ContentsResponse. `bytes` is the content where it is told. */
export function presentContents(
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
    last_commit_sha: entry.lastCommit?.oid ?? "",
    last_commit_when: utcDate(entry.lastCommit?.seconds ?? 0),
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
