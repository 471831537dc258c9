/**
 * git keeps refs as files, so `a` and `a/b` cannot both exist; every client that fetches them depends on it.
 * Returns the existing name that keeps `name` from being created, or null. `has` says whether a name exists,
 * `findBelow` finds a name that begins with the prefix given (it ends with a slash).
 */
export function findNameConflict(
  name: string,
  existing: { has(name: string): boolean; findBelow(prefix: string): string | null },
): string | null {
  for (let slash = name.lastIndexOf("/"); slash > 0; slash = name.lastIndexOf("/", slash - 1)) {
    const parent = name.slice(0, slash);
    if (existing.has(parent)) {
      return parent;
    }
  }
  return existing.findBelow(`${name}/`);
}

/** Finds two names of a list, one of which is a directory of the other; null when they can all exist together. */
export function findConflictWithin(names: Iterable<string>): { name: string; conflict: string } | null {
  const set = new Set(names);
  for (const name of set) {
    for (let slash = name.lastIndexOf("/"); slash > 0; slash = name.lastIndexOf("/", slash - 1)) {
      const parent = name.slice(0, slash);
      if (set.has(parent)) {
        return { name, conflict: parent };
      }
    }
  }
  return null;
}
