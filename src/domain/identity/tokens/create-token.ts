import { generateToken, hashToken } from "../../../auth/access-token.ts";
import { normalizeScopes } from "../../../auth/scopes.ts";
import type { Transaction } from "../../../db/client.ts";
import { violatesUnique } from "../../../db/pg-errors.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { NotFound } from "../../spine/errors.ts";
import { lockAccount } from "../../spine/lock-queries.ts";
import {
  countAccessTokens,
  findRepositoriesNamed,
  insertAccessToken,
  insertTokenRepositories,
  type AccessTokenRow,
} from "./queries.ts";
import type { Work } from "../../spine/work.ts";

export interface NewToken {
  userId: number;
  userIsAdmin: boolean;
  name: string;
  scopes: readonly string[];
  expiresAt?: Date;
  /** The only repositories that the token is for, as `owner/name`; absent: all that its user has access to. */
  repositories?: readonly string[];
  /** Only for prepared test instances: everywhere else the server makes the token. */
  value?: string;
}

export class TokenNameTaken extends StithyError {
  constructor(name: string) {
    super("invalid", "token-name-taken", `The user has a token named "${name}" already`, { name });
  }
}

/** The limit of one token. */
const maxRepositories = 100;

/**
 * Creates a token; its value is in the answer and nowhere else. `limit` is the most that a user may have. Throws InvalidScope,
 * InvalidInput, TokenNameTaken, NotFound when the user is gone.
 */
export async function createToken(
  work: Work,
  token: NewToken,
  limit: number,
): Promise<{ row: AccessTokenRow; value: string; repositories: string[] | null }> {
  const { tx } = work;
  if (token.name.trim() === "" || token.name.length > 255) {
    throw new InvalidInput("A token needs a name of at most 255 characters", "name");
  }
  if (token.expiresAt !== undefined && token.expiresAt.getTime() <= Date.now()) {
    throw new InvalidInput("The token would have expired before it was used", "expires_at");
  }
  const scopes = normalizeScopes(token.scopes, token.userIsAdmin);
  const repositories = token.repositories === undefined ? null : await findNamed(tx, token.userId, token.repositories);
  if (!(await lockAccount(tx, token.userId))) {
    throw new NotFound("user", String(token.userId));
  }
  if ((await countAccessTokens(tx, token.userId)) >= limit) {
    throw new InvalidInput(`The user has ${limit} access tokens already, which is the most that one can have`, "name");
  }
  const value = token.value ?? generateToken();
  try {
    const row = await insertAccessToken(tx, {
      userId: token.userId,
      name: token.name,
      hash: hashToken(value),
      lastEight: value.slice(-8),
      scopes,
      expiresAt: token.expiresAt ?? null,
      restricted: repositories !== null,
    });
    await insertTokenRepositories(tx, row.id, repositories ?? []);
    return { row, value, repositories: repositories?.map(({ fullName }) => fullName) ?? null };
  } catch (error) {
    throw violatesUnique(error, "access_token_user_name") ? new TokenNameTaken(token.name) : error;
  }
}

/** A repository that the user may not know of is treated like one that does not exist. */
async function findNamed(
  tx: Transaction,
  userId: number,
  names: readonly string[],
): Promise<{ id: number; fullName: string }[]> {
  if (names.length === 0 || names.length > maxRepositories) {
    throw new InvalidInput(
      `A restricted token is for 1 to ${maxRepositories} repositories, not for ${names.length}`,
      "repositories",
    );
  }
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const found = await findRepositoriesNamed(tx, userId, [...wanted]);
  for (const { fullName } of found) {
    wanted.delete(fullName.toLowerCase());
  }
  const [missing] = wanted;
  if (missing !== undefined) {
    throw new InvalidInput(`There is no repository "${missing.slice(0, 250)}"`, "repositories");
  }
  return found;
}
