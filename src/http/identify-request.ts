import { parseAuthorization, type PresentedCredential } from "../auth/identify/presented.ts";
import type { OneTimeCode } from "../auth/identify/identify.ts";
import type { Target } from "../auth/find-subject.ts";
import { principalOf } from "../auth/principal.ts";
import type { ScopeLevel } from "../auth/scopes.ts";
import type { Subject } from "../auth/subject.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { becomePrincipal } from "../lib/request-context.ts";
import { isCrossSite } from "./cross-site.ts";
import { rememberNegotiation } from "./negotiate-header.ts";
import { remoteAddressOf, isTrustedProxy } from "./remote-address.ts";

/**
 * Reads and checks the credential of a request, and reads the target that it names. From then on the request counts as
 * its principal's in queues. Throws what Identify throws. With `takesCodes` false, one-time codes are ignored, because
 * clients such as git send several requests with one credential.
 */
export async function identifyRequest(
  forge: Forge,
  request: Request,
  target: Target,
  takesCodes = true,
): Promise<Subject> {
  const query = queryOf(request);
  const subject = await forge.identity.identify(
    {
      presented: presentedBy(forge, request, query),
      code: takesCodes ? codeOf(request) : null,
      remoteAddress: remoteAddressOf(request),
      sudo: sudoOf(request, query),
    },
    target,
  );
  noteSubject(request, subject);
  return subject;
}

/** Returns the user that a site administrator wants to act as, and the scope that this takes for the method. */
function sudoOf(request: Request, query: URLSearchParams | null): { name: string; level: ScopeLevel } | null {
  const name = request.headers.get("sudo") ?? query?.get("sudo") ?? null;
  const level = request.method === "GET" || request.method === "HEAD" ? "read" : "write";
  return name === null ? null : { name, level };
}

/** Stores whom a request is from, for its place in queues. */
export function noteSubject(request: Request, subject: Subject): void {
  becomePrincipal(principalOf(remoteAddressOf(request), subject));
}

/** Whether a request carries a credential of any kind that the server accepts. */
export function presentsCredentials(forge: Forge, request: Request): boolean {
  return presentedBy(forge, request, queryOf(request)).kind !== "none";
}

function queryOf({ url }: Request): URLSearchParams | null {
  return url.indexOf("?") < 0 ? null : new URL(url).searchParams;
}

const none: PresentedCredential = { kind: "none" };

const codes = new WeakMap<Request, OneTimeCode>();

function codeOf(request: Request): OneTimeCode | null {
  const text = request.headers.get("x-gitea-otp") ?? request.headers.get("x-forgejo-otp");
  const known = codes.get(request);
  if (text === null || known !== undefined) {
    return known ?? null;
  }
  const code = { text, acceptedFor: null };
  codes.set(request, code);
  return code;
}

function presentedBy(forge: Forge, request: Request, query: URLSearchParams | null): PresentedCredential {
  const presented = rememberNegotiation(request, parseAuthorization(request.headers.get("authorization")));
  if (presented.kind === "negotiate") {
    return isCrossSite(request, forge.addresses.own.base) ? none : presented;
  }
  if (presented.kind !== "none") {
    return presented;
  }
  const { auth, api } = forge.config;
  if (
    auth.enable_reverse_proxy_authentication_api &&
    isTrustedProxy(request) &&
    !isCrossSite(request, forge.addresses.own.base)
  ) {
    const username = request.headers.get(auth.reverse_proxy_user_header);
    if (username) {
      return { kind: "proxy", username };
    }
  }
  const token = api.token_in_query ? (query?.get("token") ?? query?.get("access_token")) : null;
  return token ? { kind: "token", token } : presented;
}
