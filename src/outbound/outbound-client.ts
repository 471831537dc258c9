import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { messageOf } from "../lib/errors.ts";
import { showValue } from "../lib/show-value.ts";
import { withoutCredentials } from "../lib/without-credentials.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { AddressRefused, OutboundFailed } from "./errors.ts";
import { OutboundTimers } from "./outbound-timers.ts";
import type { Progress } from "./progress-watch.ts";

/** A request to another server. */
export interface OutboundRequest {
  readonly method: string;
  /** http or https, without credentials: those belong in the headers. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent in chunks, and never a second time: a redirect is then the answer. A file is sent with its length. */
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;
  /** The most redirects to follow; 0: a redirect is the answer. */
  readonly redirects: number;
  /** From the first look-up to the last byte of the answer. */
  readonly totalMs: number;
  /** The longest time without a byte in either direction; unset: only `totalMs` counts. */
  readonly idleMs?: number;
  /** The least bytes that have to come or go in a stretch of time, for transfers that may take hours; unset: any pace will do. */
  readonly progress?: Progress;
  /** The largest body of an answer. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** The body as it was sent, not decompressed. Read it to its end or cancel it. It fails with OutboundFailed. */
  readonly body: ReadableStream<Uint8Array>;
}

/** A host whose addresses were all looked at, and the one of them to connect to. */
export interface CheckedHost {
  readonly host: string;
  /** An IP address. */
  readonly address: string;
}

export interface OutboundOptions {
  readonly policy: AddressPolicy;
  /** The URL of an HTTP proxy; empty: none. */
  readonly proxy: string;
  /** Whether connections that are not HTTP go past the proxy. */
  readonly mayBypassProxy: boolean;
  readonly userAgent: string;
  /** Resolves a name to all its IP addresses; for tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** A certificate in PEM to trust in place of the system's; for tests. */
  readonly trusted?: string;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** Headers for one server alone. They are not sent to another one after a redirect. */
const ownHeaders = new Set(["authorization", "cookie", "proxy-authorization"]);

/**
 * The only client for other servers. It resolves a name once, checks *all* its addresses, and connects to a checked
 * one, so that a name cannot lead elsewhere between the check and the call (DNS rebinding). It checks each redirect in
 * the same way and verifies TLS certificates for the name. Through a proxy, the server still resolves and checks the
 * name, and CONNECT names the checked address.
 */
export class OutboundClient {
  constructor(private readonly options: OutboundOptions) {}

  /**
   * Checks an address as far as it can be without asking anybody: http or https, no credentials, and no private address
   * in any notation. Throws AddressRefused.
   */
  checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
      throw new AddressRefused(`${showValue(withoutCredentials(text))} is not an http or https address`);
    }
    if (url.username !== "" || url.password !== "") {
      throw new AddressRefused(`The address of ${showValue(url.host)} has credentials in it; send them in a header`);
    }
    this.#checkLiteral(hostOf(url));
    return url;
  }

  /**
   * Checks a host as `checkHost` does, for a connection of another protocol than HTTP. A proxy takes HTTP only, and who set one means it for
   * all, so such a connection is refused unless a setting allows it. Throws what `checkHost` throws.
   */
  checkDirect(host: string, protocol: "ssh" | "git"): Promise<CheckedHost> {
    if (this.options.proxy !== "" && !this.options.mayBypassProxy) {
      throw AddressRefused.pastProxy(host, protocol);
    }
    return this.checkHost(host);
  }

  /** Resolves a host and checks all its addresses. Throws AddressRefused, or OutboundFailed for a name that nobody knows. */
  async checkHost(host: string): Promise<CheckedHost> {
    this.#checkLiteral(host);
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host];
    const [address] = addresses;
    if (address === undefined) {
      throw new OutboundFailed("unresolved", `The host ${showValue(host)} has no address`);
    }
    const refused = addresses.find((one) => !this.options.policy.permits(one));
    if (refused !== undefined) {
      throw AddressRefused.private(host, refused);
    }
    return { host, address };
  }

  /** Sends a request. Throws AddressRefused and OutboundFailed; an answer of any status is an answer. */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const timers = new OutboundTimers(request);
    try {
      return await this.#follow(request, timers);
    } catch (error) {
      timers.end();
      throw timers.failure ?? error;
    }
  }

  async #follow(request: OutboundRequest, timers: OutboundTimers): Promise<OutboundResponse> {
    let url = this.checkUrl(request.url);
    let headers = new Headers(request.headers);
    if (!headers.has("user-agent")) {
      headers.set("user-agent", this.options.userAgent);
    }
    for (let left = request.redirects; ; left--) {
      const answer = await this.#exchange(request, url, headers, timers);
      const target = left > 0 && mayFollow(request, answer.status) ? answer.headers.get("location") : null;
      if (target === null) {
        return { status: answer.status, headers: answer.headers, url: url.href, body: bodyOf(answer, request, timers) };
      }
      await answer.body?.cancel().catch(() => {});
      const next = redirectOf(url, target);
      if (next.origin !== url.origin) {
        headers = new Headers([...headers].filter(([name]) => !ownHeaders.has(name)));
      }
      url = this.checkUrl(next.href);
    }
  }

  async #exchange(request: OutboundRequest, url: URL, headers: Headers, timers: OutboundTimers): Promise<Response> {
    const { address } = await timers.race(this.checkHost(hostOf(url)));
    const pinned = new URL(url.href);
    pinned.hostname = isIP(address) === 6 ? `[${address}]` : address;
    pinned.hash = "";
    const all = new Headers(headers);
    all.set("host", url.host);
    const { proxy, trusted } = this.options;
    const body = request.body instanceof ReadableStream ? timers.watch(request.body) : request.body;
    try {
      // A connection is used once: one that is kept would be found by its address alone, whatever name it was checked for.
      return await fetch(pinned.href, {
        method: request.method,
        headers: all,
        ...(body === undefined ? {} : { body }),
        redirect: "manual",
        keepalive: false,
        decompress: false,
        signal: timers.signal,
        ...(proxy === "" ? {} : { proxy }),
        ...(url.protocol === "https:"
          ? { tls: { serverName: hostOf(url), ...(trusted === undefined ? {} : { ca: trusted }) } }
          : {}),
      });
    } catch (error) {
      throw timers.failure ?? unreachable(url, error);
    }
  }

  #checkLiteral(host: string): void {
    const literal = isIP(host) !== 0 ? host : /^(.+\.)?localhost\.?$/i.test(host) ? "127.0.0.1" : null;
    if (literal !== null && !this.options.policy.permits(literal)) {
      throw AddressRefused.private(host, literal);
    }
  }

  async #resolve(host: string): Promise<readonly string[]> {
    try {
      return await (this.options.resolve ?? resolveAll)(host);
    } catch (error) {
      throw new OutboundFailed("unresolved", `The host ${showValue(host)} could not be resolved`, { cause: error });
    }
  }
}

async function resolveAll(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** The host of a URL; an IPv6 address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Only what can be sent again is sent again: 301 to 303 would make another request of a POST. */
function mayFollow({ method, body }: OutboundRequest, status: number): boolean {
  const repeats = status === 307 || status === 308 || method === "GET" || method === "HEAD";
  return redirectStatuses.has(status) && repeats && !(body instanceof ReadableStream);
}

function redirectOf(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (to === null) {
    throw new OutboundFailed("redirect", `${showValue(from.host)} redirects to what is no address`);
  }
  if (from.protocol === "https:" && to.protocol !== "https:") {
    throw new OutboundFailed("redirect", `${showValue(from.host)} redirects to an address without TLS`);
  }
  return to;
}

/** The body of the answer within its limits, which ends the timers with its last byte. */
function bodyOf(answer: Response, { maxBytes }: OutboundRequest, timers: OutboundTimers): ReadableStream<Uint8Array> {
  const reader = answer.body?.getReader();
  let length = 0;
  const tooLarge = () => new OutboundFailed("too-large", `The answer is larger than the limit of ${maxBytes} bytes`);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done || value === undefined) {
            timers.end();
            controller.close();
            return;
          }
          timers.touch(value.length);
          length += value.length;
          if (length > maxBytes) {
            throw tooLarge();
          }
          controller.enqueue(value);
        } catch (error) {
          timers.end();
          await reader?.cancel().catch(() => {});
          controller.error(
            timers.failure ??
              (error instanceof OutboundFailed
                ? error
                : new OutboundFailed("unreachable", `The answer broke off`, { cause: error })),
          );
        }
      },
      async cancel() {
        timers.end();
        await reader?.cancel().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

const explanations: Readonly<Record<string, string>> = {
  ConnectionRefused: "the connection was refused",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ConnectionClosed: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
};

function unreachable(url: URL, error: unknown): OutboundFailed {
  const code = (error as { code?: unknown }).code;
  const why = (typeof code === "string" ? (explanations[code] ?? code) : undefined) ?? messageOf(error);
  return new OutboundFailed("unreachable", `${showValue(url.host)} could not be reached: ${why}`, { cause: error });
}
