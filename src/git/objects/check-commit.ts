import { checkSignature, headerPart, HeaderLines, isOidValue } from "./check-headers.ts";
import type { ObjectFormat } from "./object-format.ts";

/** Checks a commit by the rules of `git fsck --strict`. Returns the fault, or null. */
export function checkCommit(bytes: Uint8Array, format: ObjectFormat): string | null {
  const header = headerPart(bytes);
  if ("problem" in header) {
    return header.problem;
  }
  const lines = new HeaderLines(header.text);
  const tree = lines.take("tree");
  if (tree === null) {
    return "missingTree: has no tree";
  }
  if (!isOidValue(tree, format)) {
    return "badTreeSha1: its tree is no object id";
  }
  for (let parent = lines.take("parent"); parent !== null; parent = lines.take("parent")) {
    if (!isOidValue(parent, format)) {
      return "badParentSha1: a parent is no object id";
    }
  }
  const author = lines.take("author");
  if (author === null) {
    return "missingAuthor: has no author";
  }
  const authorProblem = checkSignature(author);
  if (authorProblem !== null) {
    return authorProblem;
  }
  if (lines.take("author") !== null) {
    return "multipleAuthors: has several authors";
  }
  const committer = lines.take("committer");
  if (committer === null) {
    return "missingCommitter: has no committer";
  }
  return checkSignature(committer) ?? (bytes.includes(0) ? "nulInCommit: has a NUL byte in its message" : null);
}
