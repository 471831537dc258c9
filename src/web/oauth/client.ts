import { timingSafeEqual } from "node:crypto";
import { hashToken } from "../../auth/access-token.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { OauthError } from "../../domain/identity/oauth/errors.ts";
import { findApplication, type ApplicationRow } from "../../domain/identity/oauth/queries.ts";
import { MalformedBody, readText } from "../../http/request-body.ts";

const bodyLimit = 64 * 1024;

/** The parameters of a request to an endpoint: a form, or as clients of the family also send it, an object of texts. */
export async function readParameters(request: Request): Promise<Map<string, string>> {
  const type = (request.headers.get("content-type") ?? "").toLowerCase();
  const text = await readText(request, bodyLimit);
  const pairs = type.startsWith("application/json") ? readObject(text) : [...new URLSearchParams(text)];
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (parameters.has(name) || value.includes("\0")) {
      throw new OauthError("invalid_request", `The parameter ${name} came more than once, or contains a NUL character`);
    }
    if (value !== "") {
      parameters.set(name, value);
    }
  }
  return parameters;
}

function readObject(text: string): [string, string][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedBody("it is not JSON");
  }
  const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  return entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

interface Presented {
  id: string;
  secret: string | null;
}

function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Clients that do not encode send it as it is.
    return text;
  }
}

/** Name and secret in an Authorization header are encoded as in a form (RFC 6749, section 2.3.1). */
function fromHeader(header: string): Presented {
  const [scheme = "", encoded = ""] = header.split(" ", 2);
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (scheme.toLowerCase() !== "basic" || colon < 0) {
    throw new OauthError(
      "invalid_client",
      "An application signs in with Basic, or with client_id and client_secret in the body",
    );
  }
  return { id: decodeField(decoded.slice(0, colon)), secret: decodeField(decoded.slice(colon + 1)) };
}

/**
 * The application that a request comes from. One without a secret of its own only says who it is; PKCE proves the rest.
 * Throws OauthError.
 */
export async function authenticateClient(
  { database, config }: Forge,
  request: Request,
  parameters: ReadonlyMap<string, string>,
  secretNeeded: boolean,
): Promise<ApplicationRow> {
  const header = request.headers.get("authorization");
  if (header !== null && parameters.has("client_secret")) {
    throw new OauthError("invalid_request", "An application signs in once, in the header or in the body");
  }
  const { id, secret } =
    header === null
      ? { id: parameters.get("client_id") ?? "", secret: parameters.get("client_secret") ?? null }
      : fromHeader(header);
  const application = await findApplication(database.db, id.replaceAll("\0", ""), config.oauth.default_applications);
  // Some clients send an empty secret for none.
  const given = secret === "" ? null : secret;
  const isRight =
    application !== null && given !== null && timingSafeEqual(hashToken(given), application.clientSecretHash);
  const mayBeSecretless = application !== null && !application.confidential && given === null && !secretNeeded;
  if (application === null || !(isRight || mayBeSecretless)) {
    throw new OauthError("invalid_client", "The application is not registered, or its secret is not right");
  }
  if (parameters.has("client_id") && parameters.get("client_id") !== application.clientId) {
    throw new OauthError("invalid_request", "The client_id is not that of the application that signed in");
  }
  return application;
}
