import { NotFound } from "../../spine/errors.ts";
import { keyTaken, keyTitleTaken, tooManyKeys } from "./errors.ts";
import { readKeyTitle } from "./key-title.ts";
import { parsePublicKey } from "./parse-public-key.ts";
import { countDeployKeys, hasDeployKeyTitle, insertDeployKey, lockOrInsertKey, type DeployKeyRow } from "./queries.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";

/** The most deploy keys that a repository can have. */
const maxDeployKeys = 200;

/**
 * Lets a public key open a repository; it may open others too. Throws InvalidInput when it is none that is taken, when
 * it belongs to a user, when it or its title is used in this repository, or when that has too many; NotFound when the
 * repository is gone.
 */
export async function createDeployKey(
  work: Work,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  option: { title: string; key: string; readOnly: boolean },
): Promise<DeployKeyRow> {
  const { tx } = work;
  const { repository } = access;
  const title = readKeyTitle(option.title);
  const { fingerprint, content, comment } = parsePublicKey(option.key);
  if (!(await lockRepository(tx, repository.id))) {
    throw new NotFound("repository", repository.name);
  }
  if ((await countDeployKeys(tx, repository.id)) >= maxDeployKeys) {
    throw tooManyKeys("repository", maxDeployKeys);
  }
  if (await hasDeployKeyTitle(tx, repository.id, title)) {
    throw keyTitleTaken(title, "repository");
  }
  const key = await lockOrInsertKey(tx, { fingerprint, content });
  if (key.userId !== null) {
    throw keyTaken(fingerprint, "belongs to a user: the key of a repository must be its own");
  }
  const row = await insertDeployKey(tx, {
    keyId: key.id,
    repositoryId: repository.id,
    title,
    comment,
    readOnly: option.readOnly,
  });
  if (row === null) {
    throw keyTaken(fingerprint, "opens this repository already");
  }
  return { deployKey: row, key };
}
