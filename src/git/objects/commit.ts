import { CorruptObject } from "./errors.ts";
import { decodeText, parseHeaders, writeHeader, type Header } from "./headers.ts";
import type { ObjectFormat } from "./object-format.ts";
import { isOid } from "./oid.ts";
import { parseSignature, writeSignature, type Signature } from "./signature.ts";

/**
 * A commit. Its bytes are the headers `tree`, any number of `parent`, `author`, `committer`, then `encoding`, others
 * (`mergetag`, what other tools add) and the signature, an empty line and the message.
 */
export interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** The encoding of a message that is not UTF-8. */
  readonly encoding?: string;
  /** The signature, OpenPGP or SSH armour, over the commit without the header `gpgsig` (in SHA-256 `gpgsig-sha256`). */
  readonly signature?: string;
  /** Every other header, in order. */
  readonly extraHeaders: readonly Header[];
  readonly message: string;
}

/** Throws CorruptObject if the tree, author or committer is missing or an oid is malformed. */
export function parseCommit(bytes: Uint8Array, format: ObjectFormat): Commit {
  const { headers, message } = parseHeaders(bytes);
  let tree: string | undefined;
  let author: Signature | undefined;
  let committer: Signature | undefined;
  let encoding: string | undefined;
  let signature: string | undefined;
  const parents: string[] = [];
  const extraHeaders: Header[] = [];
  for (const header of headers) {
    const [name, value] = header;
    if (name === "tree" && tree === undefined) {
      tree = oidIn(name, value, format);
    } else if (name === "parent" && author === undefined && extraHeaders.length === 0) {
      // Only there: to git such a line further down is a header like any other.
      parents.push(oidIn(name, value, format));
    } else if (name === "author" && author === undefined) {
      author = parseSignature(value);
    } else if (name === "committer" && committer === undefined) {
      committer = parseSignature(value);
    } else if (name === "encoding" && encoding === undefined) {
      encoding = value;
    } else if (name === signatureHeader(format) && signature === undefined) {
      signature = value;
    } else {
      extraHeaders.push(header);
    }
  }
  if (tree === undefined || author === undefined || committer === undefined) {
    throw new CorruptObject("Cannot read a commit without tree, author and committer");
  }
  return {
    tree,
    parents,
    author,
    committer,
    ...(encoding === undefined ? {} : { encoding }),
    ...(signature === undefined ? {} : { signature }),
    extraHeaders,
    message: decodeText(message, encoding),
  };
}

/** The header that holds a commit's signature: what signs oids of one format says nothing about the other (git's hash-function-transition). */
export function signatureHeader({ name }: ObjectFormat): "gpgsig" | "gpgsig-sha256" {
  return name === "sha256" ? "gpgsig-sha256" : "gpgsig";
}

/** The bytes of a commit; the message is written in UTF-8 whatever `encoding` says, so leave that out for new commits. */
export function writeCommit(commit: Commit, format: ObjectFormat): Uint8Array {
  let text = writeHeader("tree", commit.tree);
  for (const parent of commit.parents) {
    text += writeHeader("parent", parent);
  }
  text += writeHeader("author", writeSignature(commit.author));
  text += writeHeader("committer", writeSignature(commit.committer));
  if (commit.encoding !== undefined) {
    text += writeHeader("encoding", commit.encoding);
  }
  for (const [name, value] of commit.extraHeaders) {
    text += writeHeader(name, value);
  }
  if (commit.signature !== undefined) {
    text += writeHeader(signatureHeader(format), commit.signature);
  }
  return Buffer.from(`${text}\n${commit.message}`, "utf8");
}

function oidIn(name: string, value: string, format: ObjectFormat): string {
  // git reads capital digits, too.
  const oid = value.toLowerCase();
  if (!isOid(oid, format)) {
    throw new CorruptObject(`Cannot read "${value}" as the ${name} of a commit`);
  }
  return oid;
}
