/**
 * Control characters, DEL, space and what revision syntax uses, anywhere in the name. The name is UTF-8: a string with
 * a lone surrogate cannot be one.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what the rule forbids
const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{/;

/** Whether git accepts the name as a full ref name (two components at least): the rules of git-check-ref-format(1). */
export function isRefName(name: string): boolean {
  if (!name.includes("/") || forbidden.test(name) || name.endsWith(".") || !name.isWellFormed()) {
    return false;
  }
  return name
    .split("/")
    .every((component) => component !== "" && !component.startsWith(".") && !component.endsWith(".lock"));
}

const wholeOid = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Whether a name is a whole oid: as git does, callers take it for an object and for no branch or tag (gitrevisions(7)). */
export function isWholeOid(name: string): boolean {
  return wholeOid.test(name);
}

/** Begins short names that mean something else to git: an object, HEAD, or a ref by its full name. PostgreSQL reads it, too. */
const ambiguousShort = "(([0-9a-fA-F]{40}|[0-9a-fA-F]{64}|HEAD)$|refs/)";
/** As a regular expression of JavaScript and PostgreSQL: a full name whose short name is ambiguous. */
export const ambiguousRefPattern = `^refs/(heads|tags)/${ambiguousShort}`;
const ambiguous = new RegExp(`^${ambiguousShort}`);
const ambiguousRef = new RegExp(ambiguousRefPattern);

function isAmbiguous(name: string): boolean {
  return ambiguous.test(name);
}

/** Why no branch or tag may have such a name, in the words of a refused push. */
export const ambiguousName = "a branch or tag cannot be named HEAD, refs/… or as the id of an object";

/** Whether a full ref name is that of a branch or tag whose short name means something else to git. */
export function isAmbiguousRef(name: string): boolean {
  return ambiguousRef.test(name);
}

/** Whether `refs/heads/<name>` may be created: git also refuses a branch that begins with a dash, and this server an ambiguous one. */
export function isBranchName(name: string): boolean {
  return !name.startsWith("-") && !isAmbiguous(name) && isRefName(`refs/heads/${name}`);
}

/** Whether `refs/tags/<name>` may be created: git also refuses a tag that begins with a dash, and this server an ambiguous one. */
export function isTagName(name: string): boolean {
  return !name.startsWith("-") && !isAmbiguous(name) && isRefName(`refs/tags/${name}`);
}
