import { randomBytes } from "node:crypto";
import { hashToken } from "../../auth/access-token.ts";
import type { Transaction } from "../../db/client.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { insertCode, putGrant } from "./queries.ts";

/** Applications fetch their tokens at once. */
const codeLifetimeSeconds = 120;

/** Notes that a user lets an application do what it asks for, in place of what they agreed to before. Answers the code that it is told. */
export async function consentTo(tx: Transaction, request: AuthorizationRequest, userId: number): Promise<string> {
  const grant = await putGrant(tx, request.application.id, userId, request.scopes);
  return createCode(tx, request, grant.id);
}

/** A code for what the grant covers already: good once, for two minutes. Only its hash is kept. */
export async function createCode(tx: Transaction, request: AuthorizationRequest, grantId: number): Promise<string> {
  const { redirectUriGiven, codeChallenge, nonce, scopes } = request;
  const redirectUri = redirectUriGiven ? request.redirectUri : "";
  const code = randomBytes(32).toString("base64url");
  const expiresAt = new Date(Date.now() + codeLifetimeSeconds * 1000);
  await insertCode(tx, { hash: hashToken(code), grantId, redirectUri, codeChallenge, nonce, scopes: [...scopes], expiresAt });
  return code;
}
