import { generateToken, hashToken } from "../../auth/access-token.ts";
import { normalizeScopes } from "../../auth/scopes.ts";
import type { Transaction } from "../../db/client.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import { InvalidInput, StithyError } from "../../lib/errors.ts";
import { insertAccessToken, type AccessTokenRow } from "./queries.ts";

export interface NewToken {
  userId: number;
  userIsAdmin: boolean;
  name: string;
  scopes: readonly string[];
  expiresAt?: Date;
  /** Only for prepared test instances: everywhere else the server makes the token. */
  value?: string;
}

export class TokenNameTaken extends StithyError {
  constructor(name: string) {
    super("token-name-taken", `The user has a token named "${name}" already`, { name });
  }
}

/** Creates a token; its value is in the answer and nowhere else. Throws InvalidInput, TokenNameTaken. */
export async function createToken(tx: Transaction, token: NewToken): Promise<{ row: AccessTokenRow; value: string }> {
  if (token.name.trim() === "" || token.name.length > 255) {
    throw new InvalidInput("A token needs a name of at most 255 characters", "name");
  }
  if (token.scopes.length === 0) {
    throw new InvalidInput("A token needs at least one scope", "scopes");
  }
  if (token.expiresAt !== undefined && token.expiresAt.getTime() <= Date.now()) {
    throw new InvalidInput("The token would have expired before it was used", "expires_at");
  }
  const value = token.value ?? generateToken();
  try {
    const row = await insertAccessToken(tx, {
      userId: token.userId,
      name: token.name,
      hash: hashToken(value),
      lastEight: value.slice(-8),
      scopes: normalizeScopes(token.scopes, token.userIsAdmin),
      expiresAt: token.expiresAt ?? null,
    });
    return { row, value };
  } catch (error) {
    throw violatesUnique(error, "access_token_user_name") ? new TokenNameTaken(token.name) : error;
  }
}
