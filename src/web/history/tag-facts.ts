import type { Ref } from "../../git/refs/ref.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { TagRecord } from "../../git/operations/read-tag.ts";
import { signatureOfTag, splitTagMessage } from "../../domain/git/signatures/tag-signature.ts";
import type { Verification } from "../../domain/git/signatures/verify-signatures.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Visit } from "../visit.ts";

/** Signatures of larger tag objects are not checked, bytes. */
const largestSigned = 256 * 1024;

/** What git knows of a tag. */
export interface TagFacts {
  readonly commit: CommitRecord | undefined;
  /** null: the tag is a name for a commit, and nothing else. */
  readonly annotated: TagRecord | null;
  readonly verification: Verification | undefined;
}

/** The object at the end of a tag. */
function tipOf({ oid, peeled }: Ref): string {
  return peeled ?? oid;
}

async function verify(forge: Forge, visit: Visit, view: RepositoryView, tags: readonly (TagRecord | null)[]) {
  const signed = tags.filter((tag) => tag !== null && splitTagMessage(tag.message).signature !== null) as TagRecord[];
  const users = await forge.findUsersByEmail(
    signed.map(({ tagger }) => tagger?.email ?? ""),
    visit,
  );
  const texts = await Promise.all(
    signed.map(async (tag) => {
      const object = await forge.git.engine.call(view, "readObject", { oid: tag.oid, maxBytes: largestSigned });
      const text = object?.bytes == null ? null : Buffer.from(object.bytes).toString("utf8");
      return { signature: signatureOfTag(tag, text), email: tag.tagger?.email ?? "" };
    }),
  );
  const verifications = await forge.git.signatures.verify(forge.database.db, texts, users);
  return new Map(signed.map(({ oid }, index) => [oid, verifications[index]]));
}

/** Reads the commits, the messages and the signatures of tags, in their order. */
export async function readTagFacts(
  forge: Forge,
  visit: Visit,
  view: RepositoryView,
  refs: readonly Ref[],
): Promise<TagFacts[]> {
  const [commits, tags] = await Promise.all([
    forge.git.commits.find(view, [...new Set(refs.map(tipOf))]),
    Promise.all(refs.map(({ oid, peeled }) => (peeled === null ? null : forge.git.commits.findTag(view, oid)))),
  ]);
  const verifications = await verify(forge, visit, view, tags);
  return refs.map((ref, index) => ({
    commit: commits.get(tipOf(ref)),
    annotated: tags[index] ?? null,
    verification: verifications.get(ref.oid),
  }));
}
