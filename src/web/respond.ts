import { fileResponse, type FileReply } from "../http/file-response.ts";
import { notModified } from "../http/not-modified.ts";
import { codingOf, encodeNow, leastCompressedBytes } from "../http/content-coding.ts";
import { wholeBody } from "../http/whole-body.ts";
import type { ScriptName } from "./assets/scripts.ts";
import type { Place } from "./frame/place.ts";
import type { Html } from "./html.ts";
import type { Seen } from "./live/seen.ts";

/** What the head of a page tells programs. */
export interface PageHead {
  /** Addresses without `.rss` and `.atom`, and what is in these feeds. */
  readonly feeds?: readonly { readonly address: string; readonly title: string }[];
  /** A sentence or two, for previews of links in other programs. */
  readonly about?: string;
}

/** A page, as a handler answers it. */
export interface Page {
  status?: number;
  title: string;
  body: Html;
  place?: Place;
  /** Scripts that it has besides the one of all pages. */
  scripts?: readonly ScriptName[];
  /** Where its forms, and the redirects that answer them, may lead besides this server. */
  formTargets?: readonly string[];
  headers?: Record<string, string>;
  /** What programs are told in its head: feeds of what it shows, and what it is about. */
  head?: PageHead;
  /** What it shows of the repository that the address names, or of the reader: it is told when that changes (`live/`). */
  sees?: Seen;
}

/** Somewhere else on this server, or the registered address of an application. */
export class Redirect {
  /** `said` is a sentence that the page there shows: what the form did. */
  constructor(
    readonly location: string,
    readonly said: string | null = null,
  ) {}
}

/**
 * The policy of every page: it loads the style, the script and the pictures of this server only, and no other page frames it.
 */
function contentSecurityPolicy(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    ["form-action 'self'", ...formTargets].join(" "),
    "media-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const hardening = { "x-content-type-options": "nosniff", "referrer-policy": "same-origin" };

/** Returns the caching headers: nothing may keep a page that shows private data or a form of the visitor. */
export function cachingOf(isPrivate: boolean): { "cache-control": string; vary: string } {
  return { "cache-control": isPrivate ? "no-store" : "private, no-cache", vary: "Cookie" };
}

/** Bytes that are no page, or 304 to a browser that has them. */
export async function bytesResponse(
  visit: { request: Request; isPrivate: boolean },
  reply: FileReply,
): Promise<Response> {
  const headers: Record<string, string> = {
    "content-type": reply.contentType,
    "x-content-type-options": "nosniff",
    ...cachingOf(visit.isPrivate),
    ...reply.headers,
  };
  return notModified(visit.request, `"${reply.etag}"`, headers) ?? fileResponse(visit.request, reply, headers);
}

/** A page as it is sent, but for cookies. */
export interface EncodedPage {
  readonly status: number;
  /** Names what the page says; null: nobody may keep it. */
  readonly etag: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** A page as bytes, compressed if the browser takes that. */
export function encodePage(request: Request, text: string, page: Page, isPrivate: boolean): EncodedPage {
  const plain = Buffer.from(text);
  const coding = plain.length < leastCompressedBytes ? null : codingOf(request);
  const bytes = coding === null ? plain : encodeNow(plain, coding);
  const { status = 200 } = page;
  const digest = isPrivate || status !== 200 ? null : new Bun.CryptoHasher("sha256").update(plain).digest("base64url");
  const headers = {
    ...hardening,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(page.formTargets ?? []),
    ...cachingOf(isPrivate),
    vary: "Cookie, Accept-Encoding",
    ...(coding === null ? {} : { "content-encoding": coding }),
    ...page.headers,
  };
  return { status, etag: digest && `"${digest}${coding === null ? "" : `-${coding}`}"`, headers, bytes };
}

/** The answer that sends a page, or 304 to a browser that has it. */
export function pageResponse(request: Request, page: EncodedPage, cookies: readonly string[]): Response {
  const { status, etag, bytes } = page;
  // Said here because the answer to HEAD loses its body, and its length with it.
  const fields: Record<string, string> = { ...page.headers, "content-length": String(bytes.length) };
  if (etag !== null) {
    const { "cache-control": caching = "", vary = "" } = fields;
    const unchanged = cookies.length > 0 ? null : notModified(request, etag, { "cache-control": caching, vary });
    if (unchanged !== null) {
      return unchanged;
    }
    fields["etag"] = etag;
  }
  const headers = new Headers(fields);
  for (const cookie of cookies) {
    headers.append("set-cookie", cookie);
  }
  return new Response(wholeBody(bytes), { status, headers });
}

/** A script that shows how much of a form has arrived says so: it has to go on by itself, or the next page would be read twice. */
const askedByScript = "x-form-by-script";

export function redirectResponse(request: Request, { location }: Redirect, cookies: readonly string[]): Response {
  const isByScript = request.headers.has(askedByScript);
  const next = isByScript ? { "x-location": location } : { location };
  const headers = new Headers({ ...hardening, ...next, "cache-control": "no-store" });
  for (const cookie of cookies) {
    headers.append("set-cookie", cookie);
  }
  // 303: whatever was sent here is not sent there.
  return new Response(null, { status: isByScript ? 204 : 303, headers });
}
