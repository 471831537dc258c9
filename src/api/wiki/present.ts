import type { Static } from "elysia";
import type { WikiPage, WikiPageMetaData } from "./schema.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { ListedPage, ReadPage } from "../../domain/repos/wiki/read-pages.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { presentCommitUser } from "../commits/present.ts";

/** A commit as the family's WikiCommit, which has one t in `commiter`. */
export function presentWikiCommit({ oid, author, committer, message }: CommitRecord) {
  return { sha: oid, author: presentCommitUser(author), commiter: presentCommitUser(committer), message };
}

export function presentListedPage(
  addresses: Addresses,
  { owner, repository }: RepositoryAccess,
  { page, lastCommit }: ListedPage,
): Static<typeof WikiPageMetaData> {
  return {
    title: page.title,
    html_url: addresses.wikiPage(owner.name, repository.name, page.path),
    sub_url: page.path,
    last_commit: lastCommit === null ? null : presentWikiCommit(lastCommit),
  };
}

const base64 = (bytes: Uint8Array | null) => (bytes === null ? "" : Buffer.from(bytes).toString("base64"));

export function presentWikiPage(
  addresses: Addresses,
  access: RepositoryAccess,
  read: ReadPage,
): Static<typeof WikiPage> {
  return {
    ...presentListedPage(addresses, access, read),
    last_commit: presentWikiCommit(read.lastCommit),
    content_base64: base64(read.content),
    commit_count: read.commits,
    sidebar: base64(read.sidebar),
    footer: base64(read.footer),
  };
}
