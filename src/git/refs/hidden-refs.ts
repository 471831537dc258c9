import type { Ref } from "./ref.ts";

/**
 * Whether a list of prefixes hides a ref: a prefix hides the ref of that name and all below it, one that begins with `!`
 * shows them again, and the last that fits decides. Source: transfer.hideRefs in git-config(1).
 */
export function isHiddenRef(name: string, prefixes: readonly string[]): boolean {
  const fits = (prefix: string): boolean => name === prefix || (name.startsWith(prefix) && (prefix.endsWith("/") || name.charAt(prefix.length) === "/"));
  const deciding = prefixes.findLast((prefix) => fits(prefix.replace(/^!/, "")));
  return deciding !== undefined && !deciding.startsWith("!");
}

export function visibleRefs(refs: readonly Ref[], prefixes: readonly string[]): readonly Ref[] {
  return prefixes.length === 0 ? refs : refs.filter(({ name }) => !isHiddenRef(name, prefixes));
}
