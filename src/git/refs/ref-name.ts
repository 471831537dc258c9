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

/** Whether `refs/heads/<name>` may be created: git also refuses a branch named `HEAD` or one that begins with a dash. */
export function isBranchName(name: string): boolean {
  return name !== "HEAD" && !name.startsWith("-") && isRefName(`refs/heads/${name}`);
}

/** Whether `refs/tags/<name>` may be created: git also refuses a tag that begins with a dash. */
export function isTagName(name: string): boolean {
  return !name.startsWith("-") && isRefName(`refs/tags/${name}`);
}
