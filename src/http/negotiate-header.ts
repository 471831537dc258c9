import type { Negotiation } from "../auth/identify/negotiate.ts";
import type { PresentedCredential } from "../auth/identify/presented.ts";
import type { Forge } from "../domain/spine/forge.ts";

const negotiations = new WeakMap<Request, Negotiation>();

/**
 * Keeps the negotiation of a request, because its token is accepted only once and a request may be identified twice.
 */
export function rememberNegotiation(request: Request, presented: PresentedCredential): PresentedCredential {
  if (presented.kind !== "negotiate") {
    return presented;
  }
  const negotiation = negotiations.get(request) ?? presented.negotiation;
  negotiations.set(request, negotiation);
  return { kind: "negotiate", negotiation };
}

/**
 * Adds `WWW-Authenticate: Negotiate` to a 401 if Kerberos is configured, and the server's token for a client whose
 * token was accepted (RFC 4559, section 4).
 */
export function addNegotiate({ config }: Forge, request: Request, response: Response): void {
  if (config.kerberos.keytab_file === "") {
    return;
  }
  const accepted = negotiations.get(request)?.accepted ?? null;
  // Browsers may answer it with a question for a password: pages ask for tickets in one place only, and by themselves.
  const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (accepted === null && response.status === 401 && !isPage) {
    response.headers.append("www-authenticate", "Negotiate");
  }
  if (accepted !== null && accepted.answer !== null) {
    response.headers.append("www-authenticate", `Negotiate ${Buffer.from(accepted.answer).toString("base64")}`);
  }
}
