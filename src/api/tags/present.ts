import type { Ref } from "../../git/refs/ref.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { TagRecord } from "../../git/workers/operations/read-tag.ts";
import { commitDate } from "../commits/dates.ts";
import { commitMeta, presentCommitUser, presentVerification, type Place } from "../commits/present.ts";

const prefix = "refs/tags/";
const armour = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m;

/** An annotated tag carries its signature at the end of its message. */
function splitMessage(message: string): { text: string; signature: string | null } {
  const at = message.search(armour);
  return at < 0 ? { text: message, signature: null } : { text: message.slice(0, at), signature: message.slice(at) };
}

/** A tag as the family's Tag. `annotated` is the tag object, where there is one; `commit` what it ends at, if that is a commit. */
export function presentTag(place: Place, ref: Ref, annotated: TagRecord | null, commit: CommitRecord | undefined) {
  const { addresses, owner, name } = place;
  const short = ref.name.slice(prefix.length);
  return {
    name: short,
    message: (annotated === null ? (commit?.message ?? "") : splitMessage(annotated.message).text).trim(),
    id: ref.oid,
    commit: commit === undefined ? null : commitMeta(place, "commits", commit.oid, commitDate(commit.committer)),
    zipball_url: addresses.archiveApi(owner, name, short, "zip"),
    tarball_url: addresses.archiveApi(owner, name, short, "tar.gz"),
    archive_download_count: { zip: 0, tar_gz: 0 },
  };
}

/** A tag object as the family's AnnotatedTag. `text` is the whole object. */
export function presentAnnotatedTag({ addresses, owner, name }: Place, tag: TagRecord, text: string | null) {
  const { text: message, signature } = splitMessage(tag.message);
  const payload = signature === null || text === null ? "" : text.slice(0, text.length - signature.length);
  return {
    tag: tag.name,
    sha: tag.oid,
    url: addresses.gitApi(owner, name, "tags", tag.oid),
    message,
    tagger: tag.tagger === null ? null : presentCommitUser(tag.tagger),
    object: { type: tag.objectType, url: addresses.gitApi(owner, name, `${tag.objectType}s`, tag.object), sha: tag.object },
    verification: presentVerification(signature === null ? null : { signature, payload }),
    archive_download_count: { zip: 0, tar_gz: 0 },
  };
}
