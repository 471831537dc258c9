import type { RepositoryRow } from "../../auth/subject.ts";
import type { Forge } from "../../domain/forge.ts";
import type { Revision } from "../../domain/refs/revisions.ts";
import { isRefName } from "../../git/refs/ref-name.ts";

/** Segments that a branch's or tag's name may have in an address. */
const nameSegments = 16;

interface Source {
  revision: Revision;
  path: string;
}

const prefixes = { branch: "refs/heads/", tag: "refs/tags/" } as const;

/**
 * Reads `branch/{name}/{path}`, `tag/…` and `commit/{oid}/…`. Names have slashes too; but no name begins with another one
 * and a slash, so the first that exists is the one. null when there is no such thing.
 */
export async function findSource(forge: Forge, repository: RepositoryRow, rest: string): Promise<Source | null> {
  const [kind, ...segments] = rest.split("/");
  if (kind === "commit") {
    const [oid = "", ...path] = segments;
    const revision = /^[0-9a-f]{4,64}$/.test(oid) ? await forge.git.revisions.find(repository, oid) : null;
    return revision === null
      ? null
      : { revision: { ...revision, kind: "commit", name: revision.commit }, path: path.join("/") };
  }
  if (kind !== "branch" && kind !== "tag") {
    return null;
  }
  for (let end = 1; end <= Math.min(segments.length, nameSegments); end++) {
    const name = segments.slice(0, end).join("/");
    const revision: Revision | null = isRefName(prefixes[kind] + name)
      ? await forge.git.revisions.find(repository, prefixes[kind] + name)
      : null;
    if (revision !== null && revision.kind === kind && revision.name === name) {
      return { revision, path: segments.slice(end).join("/") };
    }
  }
  return null;
}
