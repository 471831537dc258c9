import type { RepositoryAccess } from "../auth/subject.ts";

/** Encodes each segment of a path and keeps the slashes between them. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The page of a user or an organization. */
export function ownerLink(root: string, name: string): string {
  return `${root}/${encodeURIComponent(name)}`;
}

/** The repositories that have a topic. */
export function topicLink(root: string, topic: string): string {
  return `${root}/explore/repos?${new URLSearchParams({ topic }).toString()}`;
}

/** What an address names a repository by. */
type Named = { readonly [Part in "owner" | "repository"]: { readonly name: string } };

export function repositoryLink(root: string, { owner, repository }: Named): string {
  return `${root}/${encodeURIComponent(owner.name)}/${encodeURIComponent(repository.name)}`;
}

/** What an address shows of a path: its page, its bytes, the LFS object that it points at, its history, who wrote its lines, or the search for a file. */
export type SourceView = "src" | "raw" | "media" | "commits" | "blame" | "find";

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

export function commitLink(root: string, access: Named, oid: string): string {
  return `${repositoryLink(root, access)}/commit/${oid}`;
}

/** What programs have reported about a commit. */
export function checksLink(root: string, access: Named, oid: string): string {
  return `${commitLink(root, access, oid)}/checks`;
}

/** What `head` has that `base` has not: branches, tags or commits, of a fork as `owner/repository:branch`. */
export function compareLink(root: string, access: RepositoryAccess, base: string, head: string): string {
  return `${repositoryLink(root, access)}/compare/${encodePath(base)}...${encodePath(head)}`;
}

/** A form that changes files of a branch: of a new one, of some that are uploaded, of one that there is, or of what a patch names. */
export function editLink(
  root: string,
  access: RepositoryAccess,
  form: "_new" | "_upload" | "_edit" | "_delete" | "_diffpatch" | "_changes",
  branch: string,
  path = "",
): string {
  return `${repositoryLink(root, access)}/${form}/${encodePath(branch)}/${encodePath(path)}`.replace(/\/$/, "");
}

/** The page of the release of a tag. */
export function releaseLink(root: string, access: RepositoryAccess, tag: string): string {
  return `${repositoryLink(root, access)}/releases/tag/${encodePath(tag)}`;
}

/** The releases of a repository. */
export function releasesLink(root: string, access: Named): string {
  return `${repositoryLink(root, access)}/releases`;
}

/** The bytes of a file of a release. */
export function releaseAssetLink(root: string, access: Named, tag: string, name: string): string {
  return `${releasesLink(root, access)}/download/${encodePath(tag)}/${encodeURIComponent(name)}`;
}

/** A form of releases: a new one, or what changes or deletes that of a tag. */
export function releaseFormLink(root: string, access: Named, form: "new" | "edit" | "delete", tag = ""): string {
  return `${releasesLink(root, access)}/${form}${tag === "" ? "" : `/${encodePath(tag)}`}`;
}

/** A page of the wiki by its path, or its first page. */
export function wikiLink(root: string, access: RepositoryAccess, path = ""): string {
  return `${repositoryLink(root, access)}/wiki${path === "" ? "" : `/${encodeURIComponent(path)}`}`;
}

/** The packages of an owner, or one of them, or a version of it. */
export function packageLink(
  root: string,
  owner: string,
  of?: { readonly type: string; readonly name: string },
  version?: string,
): string {
  const names = of === undefined ? [] : [of.type, of.name, ...(version === undefined ? [] : [version])];
  return [`${ownerLink(root, owner)}/-/packages`, ...names.map(encodeURIComponent)].join("/");
}

/** The files of a commit as one file, by the name of a branch, tag or commit. */
export function archiveLink(
  root: string,
  access: RepositoryAccess,
  name: string,
  format: "zip" | "tar.gz" | "bundle",
): string {
  return `${repositoryLink(root, access)}/archive/${encodePath(name)}.${format}`;
}

/** The forms of an issue are below this address, also those of a pull request. */
export function issueFormsLink(root: string, access: Named, { number }: { number: number }): string {
  return issueLink(root, access, { isPull: false, number });
}

/** The list of a repository's issues, or of its pull requests. */
export function issuesLink(root: string, access: Named, { isPull }: { isPull: boolean }): string {
  return `${repositoryLink(root, access)}/${isPull ? "pulls" : "issues"}`;
}

export function issueLink(root: string, access: Named, issue: { isPull: boolean; number: number }): string {
  return `${issuesLink(root, access, issue)}/${issue.number}`;
}
