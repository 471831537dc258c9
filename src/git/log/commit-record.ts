import { CorruptObject } from "../objects/errors.ts";
import { parseCommit, signatureHeader } from "../objects/commit.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { isCut, shownObject } from "./shown-text.ts";
import type { Signature } from "../objects/signature.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

/** A commit as callers of the engine get it. */
export interface CommitRecord {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** with the line feed at its end where there is one; of a long one, as much as is shown (see shown-text.ts) */
  readonly message: string;
  /** the armoured signature and the text that it signs (the commit without it), or null; both empty where the commit is longer than what is shown */
  readonly signature: { readonly signature: string; readonly payload: string } | null;
  /** size of the object, bytes */
  readonly size: number;
}

/** `message`: the whole one, or as much as is shown. Throws CorruptObject when the position holds no commit, or a malformed one. */
export function readCommitRecord(
  odb: ObjectDatabase,
  position: number,
  message: "shown" | "whole" = "shown",
): CommitRecord {
  const { type, bytes } = odb.read(position);
  const oid = odb.hexAt(position);
  if (type !== ObjectType.commit) {
    throw new CorruptObject(`Cannot read ${oid} as a commit: it is a ${typeName(type)}`);
  }
  const commit = parseCommit(message === "whole" ? bytes : shownObject(bytes), odb.format);
  const { tree, parents, author, committer } = commit;
  const signature =
    commit.signature === undefined ? null : signatureOf(commit.signature, bytes, signatureHeader(odb.format));
  return { oid, tree, parents, author, committer, message: commit.message, signature, size: bytes.length };
}

/** A message that is cut would only seem to be signed wrongly. */
function signatureOf(signature: string, bytes: Uint8Array, header: string): CommitRecord["signature"] {
  return isCut(bytes) ? { signature: "", payload: "" } : { signature, payload: withoutHeader(bytes, header) };
}

/** The object's text without one header, which may continue over several lines. */
function withoutHeader(bytes: Uint8Array, name: string): string {
  const text = Buffer.from(bytes).toString("utf8");
  const end = text.indexOf("\n\n");
  const start = text.indexOf(`\n${name} `);
  if (start < 0 || start > end) {
    return text;
  }
  let stop = text.indexOf("\n", start + 1);
  while (text[stop + 1] === " ") {
    stop = text.indexOf("\n", stop + 1);
  }
  return text.slice(0, start) + text.slice(stop);
}
