import type { Revision } from "./revisions.ts";

/** Segments that a name of a branch or tag may have in an address: each costs a query. */
const nameSegments = 16;

interface Source {
  revision: Revision;
  path: string;
}

/**
 * Splits `{name}/{path}` of an address. Names have slashes, too; but no branch begins with the name of another one and a slash, and no tag does, so
 * the first name that `find` knows is the one. Returns null if it knows none.
 */
export async function splitSource(
  address: string,
  find: (name: string) => Promise<Revision | null>,
): Promise<Source | null> {
  const segments = address.split("/");
  for (let end = 1; end <= Math.min(segments.length, nameSegments); end++) {
    const revision = await find(segments.slice(0, end).join("/"));
    if (revision !== null) {
      return { revision, path: segments.slice(end).join("/") };
    }
  }
  return null;
}
