import type { RepositoryRow } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { splitSource } from "../../domain/git/refs/split-source.ts";
import { isRefName } from "../../git/refs/ref-name.ts";

interface Source {
  revision: Revision;
  path: string;
}

const prefixes = { branch: "refs/heads/", tag: "refs/tags/" } as const;

/** Reads `branch/{name}/{path}`, `tag/…` and `commit/{oid}/…`. null when there is no such thing. */
export async function findSource(forge: Forge, repository: RepositoryRow, rest: string): Promise<Source | null> {
  const [kind, ...segments] = rest.split("/");
  if (kind === "commit") {
    const [oid = "", ...path] = segments;
    const revision = /^[0-9a-f]{4,64}$/.test(oid) ? await forge.git.revisions.findCommit(repository, oid) : null;
    return revision === null ? null : { revision, path: path.join("/") };
  }
  if (kind !== "branch" && kind !== "tag") {
    return null;
  }
  return splitSource(segments.join("/"), async (name) => {
    const revision = isRefName(prefixes[kind] + name)
      ? await forge.git.revisions.find(repository, prefixes[kind] + name)
      : null;
    return revision !== null && revision.kind === kind && revision.name === name ? revision : null;
  });
}
