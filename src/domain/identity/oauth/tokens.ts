import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { generateToken, hashToken } from "../../../auth/access-token.ts";
import { OauthError } from "./errors.ts";
import {
  insertGrantToken,
  insertRefreshToken,
  lockCode,
  lockRefreshToken,
  markCodeUsed,
  markRefreshTokenUsed,
  type ApplicationRow,
  type CodeRow,
  type GrantRow,
} from "./queries.ts";
import type { Work } from "../../spine/work.ts";
import { revokeGrant } from "./revoke-grant.ts";

export interface TokenLifetimes {
  accessSeconds: number;
  refreshHours: number;
}

/** The tokens that an application gets for a code or a refresh token. */
export interface IssuedTokens {
  userId: number;
  accessToken: string;
  refreshToken: string;
  scopes: readonly string[];
  /** The nonce of the request that the code answers; empty: none. */
  nonce: string;
}

/**
 * A refusal that changes something: the transaction has to be kept, so it is answered and not thrown.
 */
export type Exchange = IssuedTokens | OauthError;

const usedTwice = "It was used before: everything that was granted by it has ended, and the user has to agree again";

function isVerifier(challenge: string, verifier: string): boolean {
  const given = createHash("sha256").update(verifier).digest();
  const wanted = Buffer.from(challenge, "base64url");
  return /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && wanted.length === given.length && timingSafeEqual(wanted, given);
}

/**
 * The address has to be told again where the request for the code told it (RFC 6749, section 4.1.3). With PKCE it may be
 * left out, as OAuth 2.1 does.
 */
function isRedirectUriOf(application: ApplicationRow, code: CodeRow, given: string | null): boolean {
  if (given === null) {
    return code.redirectUri === "" || code.codeChallenge !== "";
  }
  return code.redirectUri === "" ? application.redirectUris.includes(given) : code.redirectUri === given;
}

async function issue(
  { tx }: Work,
  grant: GrantRow,
  scopes: readonly string[],
  nonce: string,
  lifetimes: TokenLifetimes,
): Promise<IssuedTokens> {
  const accessToken = generateToken();
  const refreshToken = randomBytes(32).toString("base64url");
  const now = Date.now();
  await insertGrantToken(tx, grant.id, {
    userId: grant.userId,
    // Names are unique among a user's tokens; nobody reads this one.
    name: `oauth ${grant.id} ${crypto.randomUUID()}`,
    hash: hashToken(accessToken),
    lastEight: accessToken.slice(-8),
    scopes: [...scopes],
    expiresAt: new Date(now + lifetimes.accessSeconds * 1000),
  });
  await insertRefreshToken(tx, {
    hash: hashToken(refreshToken),
    grantId: grant.id,
    scopes: [...scopes],
    expiresAt: new Date(now + lifetimes.refreshHours * 3_600_000),
  });
  return { userId: grant.userId, accessToken, refreshToken, scopes, nonce };
}

export interface CodeExchange {
  code: string;
  redirectUri: string | null;
  codeVerifier: string | null;
}

/**
 * Tokens for a code. A code that comes a second time was stolen, or the first one was: the grant ends.
 */
export async function exchangeCode(
  work: Work,
  application: ApplicationRow,
  request: CodeExchange,
  lifetimes: TokenLifetimes,
): Promise<Exchange> {
  const { tx } = work;
  const found = await lockCode(tx, application.id, hashToken(request.code));
  if (found === null) {
    return new OauthError("invalid_grant", "The code is not known");
  }
  const { code, grant } = found;
  if (code.usedAt !== null) {
    await revokeGrant(work, grant.userId, grant.id);
    return new OauthError("invalid_grant", usedTwice);
  }
  // Whatever is wrong with the rest: who guesses has one try.
  await markCodeUsed(tx, code.hash);
  if (code.expiresAt.getTime() <= Date.now()) {
    return new OauthError("invalid_grant", "The code has expired");
  }
  if (!isRedirectUriOf(application, code, request.redirectUri)) {
    return new OauthError("invalid_grant", "The redirect_uri is not the one that the code was sent to");
  }
  if (
    code.codeChallenge === ""
      ? request.codeVerifier !== null
      : request.codeVerifier === null || !isVerifier(code.codeChallenge, request.codeVerifier)
  ) {
    return new OauthError("invalid_grant", "The code_verifier does not fit the code_challenge");
  }
  return issue(work, grant, code.scopes, code.nonce, lifetimes);
}

/**
 * New tokens for a refresh token, which is void then. One that comes a second time was stolen: the grant ends. `scope`
 * may name fewer scopes than it has.
 */
export async function exchangeRefreshToken(
  work: Work,
  application: ApplicationRow,
  token: string,
  scope: string | null,
  lifetimes: TokenLifetimes,
): Promise<Exchange> {
  const { tx } = work;
  const found = await lockRefreshToken(tx, application.id, hashToken(token));
  if (found === null || found.token.expiresAt.getTime() <= Date.now()) {
    return new OauthError("invalid_grant", "The refresh token is not known, or has expired");
  }
  const { token: row, grant } = found;
  if (row.usedAt !== null) {
    await revokeGrant(work, grant.userId, grant.id);
    return new OauthError("invalid_grant", usedTwice);
  }
  const asked = scope === null ? row.scopes : scope.split(" ").filter((one) => one !== "");
  // An omitted scope may be a limit, such as public-only.
  if (
    asked.length === 0 ||
    !asked.every((one) => row.scopes.includes(one)) ||
    (row.scopes.includes("public-only") && !asked.includes("public-only"))
  ) {
    return new OauthError("invalid_scope", "A refresh token gives no more than the scopes it was made with");
  }
  await markRefreshTokenUsed(tx, row.hash);
  return issue(work, grant, asked, "", lifetimes);
}
