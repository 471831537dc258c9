import type { Static } from "elysia";
import type { AnnotatedTag, Tag } from "./schema.ts";
import type { ArchiveDownloads } from "../../domain/git/archives/download-queries.ts";
import { splitTagMessage } from "../../domain/git/signatures/tag-signature.ts";
import type { Verification } from "../../domain/git/signatures/verify-signatures.ts";
import type { Ref } from "../../git/refs/ref.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { TagRecord } from "../../git/operations/read-tag.ts";
import { presentDownloads } from "../archive/present.ts";
import { commitDate } from "../commits/dates.ts";
import { commitMeta, presentCommitUser, presentVerification, type Place } from "../commits/present.ts";

const prefix = "refs/tags/";

/** A tag as the family's Tag. `annotated` is the tag object, where there is one; `commit` what it ends at, if that is a commit. */
export function presentTag(
  place: Place,
  ref: Ref,
  annotated: TagRecord | null,
  commit: CommitRecord | undefined,
  downloads: ArchiveDownloads | undefined,
): Static<typeof Tag> {
  const { addresses, owner, name } = place;
  const short = ref.name.slice(prefix.length);
  return {
    name: short,
    message: (annotated === null ? (commit?.message ?? "") : splitTagMessage(annotated.message).text).trim(),
    id: ref.oid,
    commit: commit === undefined ? null : commitMeta(place, "commits", commit.oid, commitDate(commit.committer)),
    zipball_url: addresses.archiveApi(owner, name, short, "zip"),
    tarball_url: addresses.archiveApi(owner, name, short, "tar.gz"),
    archive_download_count: presentDownloads(downloads),
  };
}

/** A tag object as the family's AnnotatedTag. */
export function presentAnnotatedTag(
  { addresses, owner, name }: Place,
  tag: TagRecord,
  verification: Verification,
  downloads: ArchiveDownloads | undefined,
): Static<typeof AnnotatedTag> {
  return {
    tag: tag.name,
    sha: tag.oid,
    url: addresses.gitApi(owner, name, "tags", tag.oid),
    message: splitTagMessage(tag.message).text,
    tagger: tag.tagger === null ? null : presentCommitUser(tag.tagger),
    object: {
      type: tag.objectType,
      url: addresses.gitApi(owner, name, `${tag.objectType}s`, tag.object),
      sha: tag.object,
    },
    verification: presentVerification(verification, tag.tagger?.email ?? ""),
    archive_download_count: presentDownloads(downloads),
  };
}
