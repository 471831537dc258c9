import type { FoundSession } from "../auth/identify/identify-session.ts";
import type { Target } from "../auth/find-subject.ts";
import type { Subject } from "../auth/subject.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { noteSubject } from "./identify-request.ts";
import { isTrustedProxy, remoteAddressOf } from "./remote-address.ts";
import { readCookie } from "./cookie.ts";

export interface Visitor {
  subject: Subject;
  session: FoundSession | null;
}

/**
 * Identifies the visitor of a page: the user of the cookie's session, or else, if the settings say so, the user that a
 * trusted proxy names. An Authorization header does not count here; it is for the API and git. Throws what Identify
 * throws for a proxy's name.
 */
export async function identifyVisitor(forge: Forge, request: Request, target: Target): Promise<Visitor> {
  const { auth } = forge.config;
  const token = readCookie(request, forge.addresses.own.base.startsWith("https:"));
  const visitor = await forge.identity.identifySession(token, target);
  const username =
    auth.enable_reverse_proxy_authentication && isTrustedProxy(request)
      ? request.headers.get(auth.reverse_proxy_user_header)
      : null;
  noteSubject(request, visitor.subject);
  if (visitor.session !== null || username === null || username === "") {
    return visitor;
  }
  const subject = await forge.identity.identify(
    { presented: { kind: "proxy", username }, code: null, remoteAddress: remoteAddressOf(request), sudo: null },
    target,
  );
  noteSubject(request, subject);
  return { subject, session: null };
}
