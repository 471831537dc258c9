import type { AddressList } from "../lib/address-list.ts";

/** The client's address, as far as it can be trusted. */
interface Origin {
  address: string;
  /** Whether the connection comes from one of `server.trusted_proxies`. */
  viaTrustedProxy: boolean;
}

const origins = new WeakMap<Request, Origin>();

/**
 * Notes a request's origin when it arrives. Behind trusted proxies it is the last address of X-Forwarded-For
 * that is not one of them; anybody else's header counts for nothing.
 */
export function noteOrigin(request: Request, connectionAddress: string, trustedProxies: AddressList): void {
  const peer = connectionAddress.replace(/^::ffff:/, "");
  if (!trustedProxies.has(peer)) {
    origins.set(request, { address: peer, viaTrustedProxy: false });
    return;
  }
  const forwarded = (request.headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((address) => address.trim())
    .filter(Boolean);
  origins.set(request, {
    address: forwarded.findLast((address) => !trustedProxies.has(address)) ?? peer,
    viaTrustedProxy: true,
  });
}

export function remoteAddressOf(request: Request): string {
  return origins.get(request)?.address ?? "unknown";
}

export function isTrustedProxy(request: Request): boolean {
  return origins.get(request)?.viaTrustedProxy === true;
}
