import type { RepositoryAccess } from "../auth/subject.ts";

/** Encodes each segment of a path and keeps the slashes between them. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

export function repositoryLink(root: string, { owner, repository }: RepositoryAccess): string {
  return `${root}/${encodeURIComponent(owner.name)}/${encodeURIComponent(repository.name)}`;
}

/** What an address shows of a path: its page, its bytes, the LFS object that it points at, or its history. */
export type SourceView = "src" | "raw" | "media" | "commits";

/** A file or directory: `view` is src for its page and raw for its bytes. */
export function sourceLink(
  root: string,
  access: RepositoryAccess,
  revision: { kind: string; name: string },
  path: string,
  view: SourceView = "src",
): string {
  const below = path === "" ? "" : `/${encodePath(path)}`;
  return `${repositoryLink(root, access)}/${view}/${revision.kind}/${encodePath(revision.name)}${below}`;
}

export function commitLink(root: string, access: RepositoryAccess, oid: string): string {
  return `${repositoryLink(root, access)}/commit/${oid}`;
}

/** The page of the release of a tag. */
export function releaseLink(root: string, access: RepositoryAccess, tag: string): string {
  return `${repositoryLink(root, access)}/releases/tag/${encodePath(tag)}`;
}

/** A page of the wiki by its path, or its first page. */
export function wikiLink(root: string, access: RepositoryAccess, path = ""): string {
  return `${repositoryLink(root, access)}/wiki${path === "" ? "" : `/${encodeURIComponent(path)}`}`;
}

/** The files of a commit as one file, by the name of a branch, tag or commit. */
export function archiveLink(root: string, access: RepositoryAccess, name: string, format: "zip" | "tar.gz"): string {
  return `${repositoryLink(root, access)}/archive/${encodePath(name)}.${format}`;
}
