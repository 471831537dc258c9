import { InvalidScope } from "../../../auth/scopes.ts";
import type { Reader } from "../../../db/client.ts";
import { InvalidInput, messageOf } from "../../../lib/errors.ts";
import type { DefaultApplication } from "./default-applications.ts";
import { OauthError } from "./errors.ts";
import { findApplication, type ApplicationRow } from "./queries.ts";
import { isRegistered } from "./redirect-uri.ts";
import { readRequestedScopes } from "./scopes.ts";

/** Where an application is answered, whatever the answer is. */
export interface ReplyTo {
  application: ApplicationRow;
  redirectUri: string;
  /** The application said so itself, and did not leave it to its registration. */
  redirectUriGiven: boolean;
  state: string | null;
}

/** A request of an application for a user's authorization. */
export interface AuthorizationRequest extends ReplyTo {
  scopes: readonly string[];
  /** The challenge of PKCE, method S256; empty: none. */
  codeChallenge: string;
  nonce: string;
  /** none: answer without a page; consent: ask even if it was agreed to before. */
  prompt: "none" | "consent" | null;
}

/** Longer values are no use to anybody, and travel in addresses. */
const longestValue = 2048;

/** A parameter, which may come once only (RFC 6749, section 3.1); empty is as absent. */
function once(parameters: URLSearchParams, name: string): string | null {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) {
    throw new OauthError("invalid_request", `The parameter ${name} came more than once`);
  }
  if (value !== undefined && (value.length > longestValue || value.includes("\0"))) {
    throw new OauthError("invalid_request", `The parameter ${name} is too long or contains a NUL character`);
  }
  return value === undefined || value === "" ? null : value;
}

/**
 * Finds the application and the address for the answer. Nobody is redirected before they are known. `defaults`: the
 * default applications that may ask. Throws OauthError, whose message is for the person at the browser.
 */
export async function readReplyTo(
  db: Reader,
  parameters: URLSearchParams,
  defaults: readonly DefaultApplication[],
): Promise<ReplyTo> {
  const clientId = once(parameters, "client_id");
  const application = clientId === null ? null : await findApplication(db, clientId, defaults);
  if (application === null) {
    throw new OauthError(
      "unauthorized_client",
      `No application is registered here as "${(clientId ?? "").slice(0, 100)}"`,
    );
  }
  const given = once(parameters, "redirect_uri");
  const [only, ...others] = application.redirectUris;
  if (given === null && only !== undefined && others.length === 0) {
    return { application, redirectUri: only, redirectUriGiven: false, state: once(parameters, "state") };
  }
  if (given === null || !isRegistered(application.redirectUris, given)) {
    throw new OauthError(
      "invalid_request",
      `The application "${application.name}" is not registered with the redirect address "${(given ?? "").slice(0, 200)}"`,
    );
  }
  return { application, redirectUri: given, redirectUriGiven: true, state: once(parameters, "state") };
}

function readScopes(text: string): string[] {
  try {
    return readRequestedScopes(text);
  } catch (error) {
    throw error instanceof InvalidScope || error instanceof InvalidInput
      ? new OauthError("invalid_scope", messageOf(error))
      : error;
  }
}

function readChallenge(parameters: URLSearchParams, application: ApplicationRow): string {
  const challenge = once(parameters, "code_challenge");
  const method = once(parameters, "code_challenge_method");
  if (challenge === null) {
    if (method !== null || !application.confidential) {
      throw new OauthError("invalid_request", "A code_challenge of the method S256 is needed");
    }
    return "";
  }
  if (method !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OauthError(
      "invalid_request",
      "The code_challenge must be of the method S256: a base64url-encoded SHA-256",
    );
  }
  return challenge;
}

function readPrompt(text: string | null): AuthorizationRequest["prompt"] {
  switch (text) {
    case null:
      return null;
    case "none":
      return "none";
    // The page of consent names the account, and leads to another one.
    case "consent":
    case "select_account":
      return "consent";
    default:
      throw new OauthError("invalid_request", `The prompt "${text.slice(0, 50)}" is not known here`);
  }
}

/** The rest of what an application asks for. Throws OauthError, which the application is told. */
export function readAuthorizationRequest(parameters: URLSearchParams, reply: ReplyTo): AuthorizationRequest {
  if (once(parameters, "response_type") !== "code") {
    throw new OauthError("unsupported_response_type", 'The only response_type here is "code"');
  }
  const mode = once(parameters, "response_mode");
  if (mode !== null && mode !== "query") {
    throw new OauthError("invalid_request", 'The only response_mode here is "query"');
  }
  return {
    ...reply,
    scopes: readScopes(once(parameters, "scope") ?? ""),
    codeChallenge: readChallenge(parameters, reply.application),
    nonce: once(parameters, "nonce") ?? "",
    prompt: readPrompt(once(parameters, "prompt")),
  };
}
