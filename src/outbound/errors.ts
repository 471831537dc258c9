import { StithyError } from "../lib/errors.ts";
import { showValue } from "../lib/show-value.ts";

/** The setting that lets the server reach private addresses. Messages name it, because nothing else helps. */
const setting = "outbound.allowed_networks";
/** The setting that lets ssh:// and git:// go past the proxy. */
const bypass = "outbound.bypass_proxy_for_ssh_and_git";

/** An address that the server does not call: a private one, or one that no URL of the web names. */
export class AddressRefused extends StithyError {
  constructor(message: string, data: Readonly<Record<string, unknown>> = {}) {
    super("invalid", "address-refused", message, data);
  }

  static private(host: string, address: string): AddressRefused {
    // Where names of its own network lead is for nobody to find out by asking the server to call them.
    const why = host === address ? "is not a public address" : "leads to an address that is not public";
    return new AddressRefused(
      `The server does not call ${showValue(host)}: it ${why}; an administrator can allow its network in ${setting}`,
      { host, address },
    );
  }

  static pastProxy(host: string, protocol: string): AddressRefused {
    return new AddressRefused(
      `The server does not call ${showValue(`${protocol}://${host}`)}: it calls others through a proxy, which takes only http and https; use https, or an administrator can allow a direct connection with ${bypass}`,
      { host },
    );
  }
}

/** Why a call came to nothing. */
export type OutboundReason = "unresolved" | "unreachable" | "too-slow" | "too-large" | "redirect" | "cancelled";

/** A call to another server failed before its answer was complete. The same call may succeed later. */
export class OutboundFailed extends StithyError {
  constructor(
    readonly reason: OutboundReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super("busy", `outbound-${reason}`, message, {}, options);
  }
}
