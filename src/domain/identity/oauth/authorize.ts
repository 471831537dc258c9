import { randomBytes } from "node:crypto";
import { hashToken } from "../../../auth/access-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { deleteGrantedWith, insertCode, listGrantedScopes, putGrant } from "./queries.ts";
import { isWithin } from "./scopes.ts";
import type { Work } from "../../spine/work.ts";
import type { NamedOwner } from "../../spine/events/names.ts";

/** Applications fetch their tokens at once. */
const codeLifetimeSeconds = 120;

/**
 * Notes that a user lets an application do what it asks for, in place of what they agreed to before: codes and tokens that
 * allow more end. Answers the code that it is told.
 */
export async function consentTo(work: Work, request: AuthorizationRequest, user: NamedOwner): Promise<string> {
  const { tx } = work;
  const grant = await putGrant(tx, request.application.id, user.id, request.scopes);
  for (const scopes of await listGrantedScopes(tx, grant.id)) {
    if (!isWithin(scopes, grant.scopes)) {
      await deleteGrantedWith(tx, grant.id, scopes);
    }
  }
  return createCode(work, request, grant.id);
}

/** A code for what the grant covers already: good once, for two minutes. Only its hash is kept. */
export async function createCode(work: Work, request: AuthorizationRequest, grantId: number): Promise<string> {
  const { tx } = work;
  const { redirectUriGiven, codeChallenge, nonce, scopes } = request;
  const redirectUri = redirectUriGiven ? request.redirectUri : "";
  const code = randomBytes(32).toString("base64url");
  const expiresAt = new Date(Date.now() + codeLifetimeSeconds * 1000);
  await insertCode(tx, {
    hash: hashToken(code),
    grantId,
    redirectUri,
    codeChallenge,
    nonce,
    scopes: [...scopes],
    expiresAt,
  });
  return code;
}
