import { DeletedMeanwhile } from "../../spine/errors.ts";
import { keyTaken, keyTitleTaken, tooManyKeys } from "./errors.ts";
import { readKeyTitle } from "./key-title.ts";
import { parsePublicKey } from "./parse-public-key.ts";
import { countUserKeys, hasUserKeyTitle, insertUserKey, type SshKeyRow } from "./queries.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";

/** The most public keys that a user can have. */
const maxUserKeys = 200;

/**
 * Gives a user a public key. Throws InvalidInput when it is none that is taken, when it or its title is in use, or
 * when the user has too many; DeletedMeanwhile.
 */
export async function createUserKey(
  work: Work,
  user: { id: number; name: string },
  option: { title: string; key: string },
): Promise<SshKeyRow> {
  const { tx } = work;
  const { fingerprint, content, comment } = parsePublicKey(option.key);
  const title = readKeyTitle(option.title);
  if (!(await lockAccount(tx, user.id))) {
    throw new DeletedMeanwhile("user", user.name);
  }
  if ((await countUserKeys(tx, user.id)) >= maxUserKeys) {
    throw tooManyKeys("user", maxUserKeys);
  }
  if (await hasUserKeyTitle(tx, user.id, title)) {
    throw keyTitleTaken(title, "user");
  }
  const row = await insertUserKey(tx, { fingerprint, content, comment, userId: user.id, title });
  if (row === null) {
    throw keyTaken(
      fingerprint,
      "is in use already: a key says who comes, so it belongs to one user, or to repositories",
    );
  }
  return row;
}
