import { GssAcceptor, GssError } from "./gssapi.ts";
import type { Logger } from "../../lib/log.ts";

/** More than any ticket has; header lines of requests are bounded more tightly by the server. */
const longestToken = 65_536;

/** A token as it came with a request. It works once, and a request may be identified twice: with what it names, and with what that became. */
export interface Negotiation {
  /** Base64. */
  readonly token: string;
  /** The result of the check; null before it. */
  accepted: { username: string; answer: Uint8Array | null } | null;
}

export interface KerberosSettings {
  library: string;
  keytab_file: string;
  principal: string;
  realm: string;
}

/** Checks a token of SPNEGO and notes in it what it proves; false for one that is not valid, and where Kerberos is not set up. */
export type CheckNegotiation = (negotiation: Negotiation) => boolean;

/**
 * Clients with a Kerberos ticket (RFC 4559). The library is loaded here, and only where a keytab is set: what is wrong with
 * either keeps the server from starting. Throws GssError.
 */
export class Kerberos implements Disposable {
  readonly #acceptor: GssAcceptor;

  constructor(
    private readonly settings: KerberosSettings,
    replayCacheFile: string,
    private readonly log: Logger,
  ) {
    this.#acceptor = new GssAcceptor({
      library: settings.library,
      keytabFile: settings.keytab_file,
      principal: settings.principal,
      replayCacheFile,
    });
  }

  readonly check: CheckNegotiation = (negotiation) => {
    if (negotiation.accepted !== null) {
      return true;
    }
    if (negotiation.token.length > longestToken || !/^[A-Za-z0-9+/]+={0,2}$/.test(negotiation.token)) {
      return false;
    }
    try {
      const { principal, answer } = this.#acceptor.accept(Buffer.from(negotiation.token, "base64"));
      const username = userOfPrincipal(principal, this.settings.realm);
      if (username !== null) {
        negotiation.accepted = { username, answer };
      }
      return username !== null;
    } catch (error) {
      if (!(error instanceof GssError)) {
        throw error;
      }
      this.log.debug({ reason: error.message }, "A Kerberos token was refused");
      return false;
    }
  };

  [Symbol.dispose](): void {
    this.#acceptor[Symbol.dispose]();
  }
}

/** The user that a principal `name@REALM` of this realm stands for; null for other realms, and for services and roles, which have a slash. */
export function userOfPrincipal(principal: string, realm: string): string | null {
  const at = principal.lastIndexOf("@");
  const name = principal.slice(0, at);
  return at > 0 && principal.slice(at + 1) === realm && /^[\w.-]+$/.test(name) ? name : null;
}
