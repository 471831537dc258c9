import { parseAuthorization, type PresentedCredential } from "../auth/identify/presented.ts";
import type { OneTimeCode } from "../auth/identify/identify.ts";
import type { Target } from "../auth/find-subject.ts";
import type { Subject } from "../auth/subject.ts";
import type { Forge } from "../domain/forge.ts";
import { isCrossSite } from "./cross-site.ts";
import { rememberNegotiation } from "./negotiate-header.ts";
import { remoteAddressOf, isTrustedProxy } from "./remote-address.ts";

/**
 * Reads who a request says it is from, checks it, and reads what it asks about. See Identify for what it throws.
 * `takesCodes` false: one-time codes are not read, since clients such as git send several requests with one credential.
 */
export function identifyRequest(forge: Forge, request: Request, target: Target, takesCodes = true): Promise<Subject> {
  const query = queryOf(request);
  return forge.identify(
    {
      presented: presentedBy(forge, request, query),
      code: takesCodes ? codeOf(request) : null,
      remoteAddress: remoteAddressOf(request),
      sudo: request.headers.get("sudo") ?? query?.get("sudo") ?? null,
    },
    target,
  );
}

/** Whether a request says who it is from, in whatever way that counts here. */
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
    return isCrossSite(request, forge.addresses.base) ? none : presented;
  }
  if (presented.kind !== "none") {
    return presented;
  }
  const { auth, api } = forge.config;
  if (auth.enable_reverse_proxy_authentication_api && isTrustedProxy(request) && !isCrossSite(request, forge.addresses.base)) {
    const username = request.headers.get(auth.reverse_proxy_user_header);
    if (username) {
      return { kind: "proxy", username };
    }
  }
  const token = api.token_in_query ? (query?.get("token") ?? query?.get("access_token")) : null;
  return token ? { kind: "token", token } : presented;
}
