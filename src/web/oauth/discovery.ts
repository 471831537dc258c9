import { scopeCategories } from "../../auth/scopes.ts";
import { identityScopes } from "../../domain/identity/oauth/scopes.ts";
import { signingAlgorithm } from "../../domain/identity/oauth/signing-key.ts";

const apiScopes = [
  "all",
  "public-only",
  ...scopeCategories.flatMap((category) => [`read:${category}`, `write:${category}`]),
];
const clientMethods = ["client_secret_basic", "client_secret_post"];

/** The provider's metadata for clients (OpenID Connect Discovery 1.0, RFC 8414). */
export function describeProvider(base: string) {
  const at = (path: string) => `${base}/login/oauth/${path}`;
  return {
    issuer: base,
    authorization_endpoint: at("authorize"),
    token_endpoint: at("access_token"),
    jwks_uri: at("keys"),
    userinfo_endpoint: at("userinfo"),
    introspection_endpoint: at("introspect"),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    id_token_signing_alg_values_supported: [signingAlgorithm],
    subject_types_supported: ["public"],
    scopes_supported: [...identityScopes, ...apiScopes],
    claims_supported: [
      "iss",
      "aud",
      "sub",
      "exp",
      "iat",
      "nonce",
      "preferred_username",
      "name",
      "profile",
      "picture",
      "website",
      "updated_at",
      "email",
      "email_verified",
      "groups",
    ],
    prompt_values_supported: ["none", "consent", "select_account"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: [...clientMethods, "none"],
    introspection_endpoint_auth_methods_supported: clientMethods,
    authorization_response_iss_parameter_supported: true,
  };
}
