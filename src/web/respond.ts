import { fileResponse, type FileReply } from "../http/file-response.ts";
import { notModified } from "../http/not-modified.ts";
import { wholeBody } from "../http/whole-body.ts";
import type { Html } from "./html.ts";

/** A page, as a handler answers it. */
export interface Page {
  status?: number;
  title: string;
  body: Html;
  /** Where its forms, and the redirects that answer them, may lead besides this server. */
  formTargets?: readonly string[];
  headers?: Record<string, string>;
}

/** Somewhere else on this server, or the registered address of an application. */
export class Redirect {
  constructor(readonly location: string) {}
}

/**
 * The policy of every page: it loads styles and pictures from this server only, runs no script, and is framed by no
 * other page.
 */
function contentSecurityPolicy(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["form-action 'self'", ...formTargets].join(" "),
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

export function pageResponse(text: string, page: Page, isPrivate: boolean, cookies: readonly string[]): Response {
  const headers = new Headers({
    ...hardening,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(page.formTargets ?? []),
    ...cachingOf(isPrivate),
    ...page.headers,
    // Said here because the answer to HEAD loses its body, and its length with it.
    "content-length": String(Buffer.byteLength(text)),
  });
  for (const cookie of cookies) {
    headers.append("set-cookie", cookie);
  }
  return new Response(wholeBody(text), { status: page.status ?? 200, headers });
}

export function redirectResponse({ location }: Redirect, cookies: readonly string[]): Response {
  const headers = new Headers({ ...hardening, location, "cache-control": "no-store" });
  for (const cookie of cookies) {
    headers.append("set-cookie", cookie);
  }
  // 303: whatever was sent here is not sent there.
  return new Response(null, { status: 303, headers });
}
