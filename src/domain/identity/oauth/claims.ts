import { hasScope, parseScopes } from "../../../auth/scopes.ts";
import type { Actor } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import type { Addresses } from "../../spine/addresses.ts";
import { hasVerifiedEmail, listGroups } from "./queries.ts";

/** The claims about a user for an application. */
export interface Claims {
  sub: string;
  preferred_username?: string;
  name?: string;
  profile?: string;
  picture?: string;
  website?: string;
  updated_at?: number;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

/**
 * Returns the claims about a user that the scopes allow, in the words of OpenID Connect. A token without openid gets
 * those that it may read over the API anyway: the account, and with the scope for that the organizations.
 */
export async function claimsOf(
  db: Reader,
  addresses: Addresses,
  user: Actor,
  scopes: readonly string[],
): Promise<Claims> {
  const has = (scope: string) => scopes.includes(scope) || !scopes.includes("openid");
  const claims: Claims = { sub: String(user.id) };
  if (has("profile")) {
    claims.preferred_username = user.name;
    claims.name = user.fullName === "" ? user.name : user.fullName;
    claims.profile = addresses.owner(user.name);
    claims.picture = addresses.avatar(user);
    claims.updated_at = Math.floor(user.updatedAt.getTime() / 1000);
    if (user.website !== "") {
      claims.website = user.website;
    }
  }
  if (has("email") && user.email !== "") {
    claims.email = user.email;
    claims.email_verified = await hasVerifiedEmail(db, user.id);
  }
  const api = parseScopes(scopes);
  if (scopes.includes("groups") || (!scopes.includes("openid") && hasScope(api, "organization", "read"))) {
    claims.groups = await listGroups(db, user.id, api.publicOnly);
  }
  return claims;
}
