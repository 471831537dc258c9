import type { Settings } from "../config/settings.ts";
import { isEveryAddress } from "../lib/every-address.ts";
import { isTrustedProxy } from "./remote-address.ts";

/** A scheme and a host that may stand in every place where URLs are written: in HTML, in headers and in a shell. */
const origin = /^https?:\/\/(?:([\w.-]+)|(\[[\da-f:.]+\]))(?::\d{1,5})?$/;

/**
 * Returns the scheme and host by which a client called, such as `http://forge.lan:3000`; null if responses must not
 * follow it: `server.base_url` is set, the host is not one of `server.allowed_hosts`, or the request names none that can
 * be used. `url` is the parsed URL of the request, whose host is that of the header Host. X-Forwarded-Host and
 * X-Forwarded-Proto count from trusted proxies only; of several values the last one counts, which the proxy itself wrote.
 */
export function calledAtOf(request: Request, url: URL, settings: Settings["server"]): string | null {
  if (settings.base_url !== "" || request.headers.get("host") === null) {
    return null;
  }
  const called = isTrustedProxy(request) ? forwardedOrigin(request, url) : url.origin;
  const [, name, address] = origin.exec(called) ?? [];
  const host = name ?? address;
  if (host === undefined) {
    return null;
  }
  return isAllowed(host, settings) ? called : null;
}

/**
 * Returns the URL of HTTP for a client that reached this machine at `address` in another protocol, such as SSH; null if
 * responses must not follow that. `own` is the server's own URL. Only a server that listens on every address follows.
 */
export function calledAtOfAddress(address: string, own: string, settings: Settings["server"]): string | null {
  if (settings.base_url !== "" || !isEveryAddress(settings.host) || address === "") {
    return null;
  }
  const plain = address.replace(/^::ffff:/, "");
  const host = plain.includes(":") ? `[${plain}]` : plain;
  const url = new URL(own);
  url.hostname = host;
  return isAllowed(host, settings) ? url.origin : null;
}

function isAllowed(host: string, { allowed_hosts: allowed }: Settings["server"]): boolean {
  return allowed.length === 0 || allowed.some((one) => one.toLowerCase() === host);
}

function forwardedOrigin(request: Request, url: URL): string {
  const last = (header: string) => request.headers.get(header)?.split(",").at(-1)?.trim() || null;
  const scheme = last("x-forwarded-proto") ?? url.protocol.slice(0, -1);
  const host = last("x-forwarded-host") ?? url.host;
  const called = `${scheme}://${host}`.toLowerCase();
  return (origin.test(called) ? URL.parse(called)?.origin : null) ?? "";
}
