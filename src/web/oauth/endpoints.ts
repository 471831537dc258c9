import { hashToken } from "../../auth/access-token.ts";
import { hasScope } from "../../auth/scopes.ts";
import { claimsOf } from "../../domain/identity/oauth/claims.ts";
import { OauthError } from "../../domain/identity/oauth/errors.ts";
import { findGrantToken, findTokenScopes, type ApplicationRow } from "../../domain/identity/oauth/queries.ts";
import { SigningKey } from "../../domain/identity/oauth/signing-key.ts";
import {
  exchangeCode,
  exchangeRefreshToken,
  type Exchange,
  type IssuedTokens,
  type TokenLifetimes,
} from "../../domain/identity/oauth/tokens.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import { answerJson, endpointFor, preflightFor, type EndpointHandler } from "./answer.ts";
import { authenticateClient, readParameters } from "./client.ts";
import { describeProvider } from "./discovery.ts";
import type { Doer } from "../../domain/spine/doer.ts";

interface EndpointRoute {
  method: "GET" | "POST" | "OPTIONS";
  path: string;
  handler: EndpointHandler;
}

/** The endpoints for applications: OAuth 2.1 and OpenID Connect. */
export function oauthEndpoints(forge: Forge): EndpointRoute[] {
  const { db } = forge.database;
  const { oauth } = forge.config;
  const lifetimes: TokenLifetimes = {
    accessSeconds: oauth.access_token_lifetime_seconds,
    refreshHours: oauth.refresh_token_lifetime_hours,
  };
  const signingKey = new SigningKey(db);

  function exchange(application: ApplicationRow, parameters: ReadonlyMap<string, string>): Promise<Exchange> {
    const doer: Doer = { kind: "application", application };
    const needed = (name: string): string => {
      const value = parameters.get(name);
      if (value === undefined) {
        throw new OauthError("invalid_request", `The parameter ${name} is missing`);
      }
      return value;
    };
    switch (parameters.get("grant_type")) {
      case "authorization_code": {
        const request = {
          code: needed("code"),
          redirectUri: parameters.get("redirect_uri") ?? null,
          codeVerifier: parameters.get("code_verifier") ?? null,
        };
        return forge.change(doer, (work) => exchangeCode(work, application, request, lifetimes));
      }
      case "refresh_token": {
        const token = needed("refresh_token");
        return forge.change(doer, (work) =>
          exchangeRefreshToken(work, application, token, parameters.get("scope") ?? null, lifetimes),
        );
      }
      default:
        throw new OauthError("unsupported_grant_type", "The grant_type is authorization_code or refresh_token");
    }
  }

  async function idToken(application: ApplicationRow, { userId, scopes, nonce }: IssuedTokens): Promise<string> {
    const { actor } = await forge.identity.findSubject({ userId }, {});
    if (actor === null) {
      throw new OauthError("invalid_grant", "The user may not sign in anymore");
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...(await claimsOf(db, forge.addresses.own, actor, scopes)),
      iss: forge.addresses.own.base,
      aud: application.clientId,
      iat: now,
      exp: now + lifetimes.accessSeconds,
    };
    return signingKey.sign(nonce === "" ? claims : { ...claims, nonce });
  }

  async function token(request: Request): Promise<Response> {
    const parameters = await readParameters(request);
    const application = await authenticateClient(forge, request, parameters, false);
    const issued = await exchange(application, parameters);
    if (issued instanceof OauthError) {
      throw issued;
    }
    return answerJson({
      access_token: issued.accessToken,
      token_type: "bearer",
      expires_in: lifetimes.accessSeconds,
      refresh_token: issued.refreshToken,
      scope: issued.scopes.join(" "),
      ...(issued.scopes.includes("openid") ? { id_token: await idToken(application, issued) } : {}),
    });
  }

  async function userinfo(request: Request): Promise<Response> {
    const { actor, credential } = await identifyRequest(forge, request, {});
    if (actor === null || credential.kind !== "token") {
      return answerJson({ error: "invalid_token", error_description: "An access token is needed" }, 401, {
        "www-authenticate": 'Bearer realm="Stithy"',
      });
    }
    const scopes = await findTokenScopes(db, credential.tokenId);
    if (!scopes.includes("openid") && !hasScope(credential.scopes, "user", "read")) {
      const needed = "read:user or openid";
      return answerJson(
        { error: "insufficient_scope", error_description: `The token does not have the required scope: ${needed}` },
        403,
        { "www-authenticate": 'Bearer realm="Stithy", error="insufficient_scope"' },
      );
    }
    return answerJson(await claimsOf(db, forge.addresses.own, actor, scopes));
  }

  /** RFC 7662, for the application's own tokens: of others it learns nothing. */
  async function introspect(request: Request): Promise<Response> {
    const parameters = await readParameters(request);
    const application = await authenticateClient(forge, request, parameters, true);
    const found = await findGrantToken(db, application.id, hashToken(parameters.get("token") ?? ""));
    if (
      found === null ||
      found.expiresAt === null ||
      (await forge.identity.findSubject({ userId: found.userId }, {})).actor === null
    ) {
      return answerJson({ active: false });
    }
    return answerJson({
      active: true,
      scope: found.scopes.join(" "),
      username: found.userName,
      sub: String(found.userId),
      client_id: application.clientId,
      aud: application.clientId,
      iss: forge.addresses.own.base,
      token_type: "bearer",
      exp: Math.floor(found.expiresAt.getTime() / 1000),
    });
  }

  const open = { "cache-control": "public, max-age=300" };
  const discovery: EndpointHandler = async () => answerJson(describeProvider(forge.addresses.own.base), 200, open);
  const keys: EndpointHandler = async () => answerJson({ keys: [await signingKey.publicKey()] }, 200, open);
  const routes = (path: string, methods: readonly ("GET" | "POST")[], handler: EndpointHandler): EndpointRoute[] => [
    ...methods.map((method) => ({ method, path, handler: endpointFor(forge, handler) })),
    { method: "OPTIONS", path, handler: preflightFor(forge, [...methods, "OPTIONS"].join(", ")) },
  ];
  return [
    ...routes("/login/oauth/access_token", ["POST"], token),
    ...routes("/login/oauth/introspect", ["POST"], introspect),
    ...routes("/login/oauth/userinfo", ["GET", "POST"], userinfo),
    ...routes("/login/oauth/keys", ["GET"], keys),
    ...routes("/.well-known/openid-configuration", ["GET"], discovery),
    ...routes("/.well-known/oauth-authorization-server", ["GET"], discovery),
  ];
}
