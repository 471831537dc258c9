import { inTurns } from "../../lib/turns.ts";
import type { Ref } from "./ref.ts";

/**
 * Whether a list of prefixes hides a ref: a prefix hides the ref of that name and all below it, one that begins with `!`
 * shows them again, and the last that fits decides. Source: transfer.hideRefs in git-config(1).
 */
export function isHiddenRef(name: string, prefixes: readonly string[]): boolean {
  const fits = (prefix: string): boolean =>
    name === prefix || (name.startsWith(prefix) && (prefix.endsWith("/") || name.charAt(prefix.length) === "/"));
  const deciding = prefixes.findLast((prefix) => fits(prefix.replace(/^!/, "")));
  return deciding !== undefined && !deciding.startsWith("!");
}

/** Returns the refs that no prefix hides. Yields to others while there are many to check. */
export async function visibleRefs(refs: readonly Ref[], prefixes: readonly string[]): Promise<readonly Ref[]> {
  if (prefixes.length === 0) {
    return refs;
  }
  const visible: Ref[] = [];
  for await (const some of inTurns(chunksOf(refs, 256))) {
    visible.push(...some.filter(({ name }) => !isHiddenRef(name, prefixes)));
  }
  return visible;
}

function* chunksOf(refs: readonly Ref[], size: number): Generator<readonly Ref[]> {
  for (let at = 0; at < refs.length; at += size) {
    yield refs.slice(at, at + size);
  }
}
