import { signText, type CommitSigner } from "../objects/commit-signer.ts";
import { writeCommit, type Commit } from "../objects/commit.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { NewObjects } from "./new-objects.ts";

type NewCommit = Pick<Commit, "tree" | "parents" | "author" | "committer" | "message">;

/** A thread's own: it is told once, before it makes anything. */
let signer: CommitSigner | null = null;

/** Sets the key that signs all commits and tags that this thread makes from now on; null: they are not signed. */
export function setCommitSigner(key: CommitSigner | null): void {
  signer = key;
}

/** The bytes of an annotated tag, signed if this server signs: the signature stands at the end of the message (gitformat-signature(5)). */
export async function signTag(bytes: Uint8Array): Promise<Uint8Array> {
  return signer === null ? bytes : Buffer.concat([bytes, Buffer.from(`${await signText(signer, bytes)}\n`)]);
}

/** Adds a commit, signed if this server signs, and returns its oid. Every commit that the engine makes is made here. */
export async function addCommit(objects: NewObjects, format: ObjectFormat, commit: NewCommit): Promise<string> {
  const unsigned = { ...commit, extraHeaders: [] };
  const bytes = writeCommit(unsigned, format);
  const signed =
    signer === null ? bytes : writeCommit({ ...unsigned, signature: await signText(signer, bytes) }, format);
  return objects.add(ObjectType.commit, signed);
}
