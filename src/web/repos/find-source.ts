import type { RepositoryRow } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { splitSource } from "../../domain/git/refs/split-source.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import { clip } from "../../lib/show-value.ts";

interface Source {
  revision: Revision;
  path: string;
}

const prefixes = { branch: "refs/heads/", tag: "refs/tags/" } as const;

/** The commit of these digits; null if no ref reaches one. */
async function findCommit(forge: Forge, repository: RepositoryRow, oid: string): Promise<Revision | null> {
  return /^[0-9a-f]{4,64}$/.test(oid) ? forge.git.revisions.findCommit(repository, oid) : null;
}

/** Returns the commit of these digits. Throws NotFound. */
export async function getCommit(forge: Forge, repository: RepositoryRow, oid: string): Promise<Revision> {
  const revision = await findCommit(forge, repository, oid);
  if (revision === null) {
    throw new NotFound("commit", clip(oid, 80));
  }
  return revision;
}

/** Reads `branch/{name}/{path}`, `tag/…` and `commit/{oid}/…`. null when there is no such thing. */
export async function findSource(forge: Forge, repository: RepositoryRow, rest: string): Promise<Source | null> {
  const [kind, ...segments] = rest.split("/");
  if (kind === "commit") {
    const [oid = "", ...path] = segments;
    const revision = await findCommit(forge, repository, oid);
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
