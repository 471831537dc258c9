import { authorize } from "../../auth/authorize.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Reference } from "../../markdown/references.ts";
import type { ReferenceResolver } from "../../markdown/renderer.ts";
import type { Forge } from "../forge.ts";
import { findVisibleNames } from "../owners/queries.ts";

function mayReadCode({ actor, credential }: Viewer, access: RepositoryAccess): boolean {
  const demand = { on: "repository", do: "read", unit: "code" } as const;
  return (
    !access.repository.empty &&
    authorize(actor, credential, { categories: [], level: "read" }, demand, { repository: access }) === "allowed"
  );
}

/**
 * Finds what a text refers to, for one who reads it: users and organizations that they may know of, by one query, and the
 * repository's commits if they may read its code. Everything else stays text. `access` is null for a text that is
 * in no repository.
 */
export function resolverFor(forge: Forge, viewer: Viewer, access: RepositoryAccess | null): ReferenceResolver {
  const { addresses, database, git } = forge;
  const readsCode = access !== null && mayReadCode(viewer, access);

  async function findOwners(references: readonly Reference[]): Promise<Map<string, string>> {
    const names = references.flatMap((one) => (one.kind === "user" ? [one.name] : []));
    const found = names.length === 0 ? [] : await findVisibleNames(database.db, viewer, names);
    return new Map(found.map((name) => [name.toLowerCase(), addresses.owner(name)]));
  }

  async function findCommits(references: readonly Reference[]): Promise<Map<string, string>> {
    const digits = references.flatMap((one) => (one.kind === "commit" ? [one.digits] : []));
    if (access === null || digits.length === 0) {
      return new Map();
    }
    const { owner, repository } = access;
    const found = await git.revisions.findCommits(repository, digits);
    return new Map([...found].map(([name, oid]) => [name, addresses.commit(owner.name, repository.name, oid)]));
  }

  return {
    kinds: readsCode ? ["user", "commit"] : ["user"],
    async resolve(references) {
      const [owners, commits] = await Promise.all([findOwners(references), findCommits(references)]);
      return references.map((one) =>
        one.kind === "user" ? (owners.get(one.name.toLowerCase()) ?? null) : (commits.get(one.digits) ?? null),
      );
    },
  };
}
