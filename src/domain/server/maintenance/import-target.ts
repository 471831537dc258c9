import type { Database } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository, type NamedRepository } from "../../spine/events/names.ts";
import { checkRepositoryName } from "../../identity/owners/names.ts";
import { findOwner } from "../../identity/owners/queries.ts";
import { readRefs, setHead } from "../../git/refs/queries.ts";
import { makeRepository } from "../../repos/make-repository.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import { findRepositoryByName } from "../../repos/queries.ts";
import { wikiRow, wikiStoreOf, wikiSuffix } from "../../git/wiki-stores/wiki-store.ts";
import type { Work } from "../../spine/work.ts";
import type { ImportRequest } from "./import-repository.ts";

/** Where an import goes: a repository that it makes, or the wiki of one that is there. */
export interface ImportTarget {
  /** Makes the repository, or makes sure that the wiki is empty still, in the import's transaction. */
  open(work: Work): Promise<NamedRepository>;
  /** Lets it have the default branch of what is imported, once that is there. */
  finish(work: Work): Promise<void>;
}

/** Throws NotFound (the owner, the repository of a wiki), Conflict (it is there already), InvalidInput. */
export async function findImportTarget(
  db: Database,
  request: ImportRequest,
  defaultBranch: string,
): Promise<ImportTarget> {
  const owner = await findOwner(db, request.owner);
  if (owner === null) {
    throw new NotFound("user or organization", request.owner);
  }
  if (request.name.toLowerCase().endsWith(wikiSuffix)) {
    return findWikiTarget(db, request, owner);
  }
  checkRepositoryName(request.name);
  if ((await findRepositoryByName(db, request.owner, request.name)) !== null) {
    throw new Conflict(`The repository "${request.owner}/${request.name}" already exists`);
  }
  return {
    async open(work) {
      const row = await makeRepository(work, owner, {
        name: request.name,
        private: request.private,
        defaultBranch: request.source.headBranch ?? defaultBranch,
        objectFormat: request.source.format,
      });
      return namedRepository({ repository: row, owner });
    },
    finish: () => Promise.resolve(),
  };
}

async function findWikiTarget(
  db: Database,
  { owner: ownerName, name, source }: ImportRequest,
  owner: { id: number; name: string },
): Promise<ImportTarget> {
  const repositoryName = name.slice(0, -wikiSuffix.length);
  const row = await findRepositoryByName(db, ownerName, repositoryName);
  if (row === null) {
    throw new NotFound("repository", `${ownerName}/${repositoryName}`);
  }
  if (row.objectFormat !== source.format) {
    throw new InvalidInput(`The wiki of ${ownerName}/${repositoryName} has ${row.objectFormat}, not ${source.format}`);
  }
  const storeId = wikiStoreOf(row.id);
  const checkEmpty = async (tx: Parameters<typeof readRefs>[0]) => {
    if ((await readRefs(tx, storeId)).size > 0) {
      throw new Conflict(`The wiki of ${ownerName}/${repositoryName} already exists`);
    }
  };
  await checkEmpty(db);
  const { headBranch } = source;
  const hasHead = source.refs.some((ref) => ref.name === `refs/heads/${headBranch}`);
  return {
    async open({ tx }) {
      const current = await lockRepositoryRow(tx, row.id);
      if (current === null) {
        throw new NotFound("repository", `${ownerName}/${repositoryName}`);
      }
      await checkEmpty(tx);
      return namedRepository({ repository: wikiRow(current, null), owner });
    },
    async finish({ tx }) {
      if (headBranch !== null && hasHead) {
        await setHead(tx, storeId, { defaultBranch: headBranch, empty: false });
      }
    },
  };
}
