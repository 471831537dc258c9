import { fileResponse, openLate } from "../../http/file-response.ts";
import { Answer } from "./reply.ts";

const jsonType = "application/json;charset=utf-8";
/** Answers depend on who asks, so no shared cache keeps them, and a private one asks again with the ETag. */
const caching = "private, no-cache";

function etagOf(content: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(content).toString(36)}"`;
}

/** RFC 9110 section 13.1.2: weak comparison with any of the listed tags. */
function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Sets the caching headers; answers 304 when the client has this already, else null. */
function notModified(request: Request, etag: string, headers: Record<string, string>): Response | null {
  const ifNoneMatch = request.headers.get("if-none-match");
  headers["etag"] = etag;
  headers["cache-control"] ??= caching;
  if (ifNoneMatch === null || !matches(ifNoneMatch, etag)) {
    return null;
  }
  delete headers["content-type"];
  return new Response(null, { status: 304, headers });
}

function withEtag(request: Request, status: number, etag: string, body: string | Uint8Array<ArrayBufferLike>, headers: Record<string, string>): Response {
  const unchanged = notModified(request, etag, headers);
  if (unchanged !== null) {
    return unchanged;
  }
  // Said here because the answer to HEAD loses its body, and its length with it.
  headers["content-length"] = String(Buffer.byteLength(body));
  return new Response(body as string | Uint8Array<ArrayBuffer>, { status, headers });
}

/** Turns what a handler returned into a response. GET answers carry an ETag and answer If-None-Match. */
export function respond(request: Request, result: unknown): Response {
  const reply = result instanceof Answer ? result.reply : { kind: "json" as const, status: 200, value: result, headers: {} };
  const isRead = request.method === "GET" || request.method === "HEAD";
  switch (reply.kind) {
    case "empty":
      return new Response(null, { status: reply.status, headers: reply.headers });
    case "json": {
      const body = JSON.stringify(reply.value);
      const headers = { "content-type": jsonType, ...reply.headers };
      return isRead ? withEtag(request, reply.status, etagOf(body), body, headers) : new Response(body, { status: reply.status, headers });
    }
    case "bytes": {
      const headers = { "content-type": reply.contentType, ...reply.headers };
      if (!isRead) {
        return new Response(reply.bytes as string | Uint8Array<ArrayBuffer>, { headers });
      }
      return withEtag(request, 200, reply.etag === null ? etagOf(reply.bytes) : `"${reply.etag}"`, reply.bytes, headers);
    }
    case "stream": {
      const headers = { "content-type": reply.contentType, ...reply.headers };
      return notModified(request, `"${reply.etag}"`, headers) ?? new Response(openLate(reply.open), { headers });
    }
    case "file": {
      const headers = { "content-type": reply.contentType, ...reply.headers };
      return notModified(request, `"${reply.etag}"`, headers) ?? fileResponse(request, reply, headers);
    }
  }
}
