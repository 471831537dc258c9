import type { Forge } from "../../domain/forge.ts";
import { fileResponse, heldBody, streamBody } from "../../http/file-response.ts";
import { notModified } from "../../http/not-modified.ts";
import { wholeBody } from "../../http/whole-body.ts";
import { Answer } from "./reply.ts";

const jsonType = "application/json;charset=utf-8";

function etagOf(content: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(content).toString(36)}"`;
}

/** Writes JSON and answers with it. Throws what JsonWriter throws. */
async function jsonResponse(
  forge: Forge,
  request: Request,
  { status, value, headers }: { status: number; value: unknown; headers: Record<string, string> },
): Promise<Response> {
  const { content, place } = await forge.jsonWriter.write(value, request.signal);
  const all = { "content-type": jsonType, ...headers };
  const unchanged = isRead(request) ? notModified(request, etagOf(content), all) : null;
  if (place === null || unchanged !== null) {
    place?.[Symbol.dispose]();
    return unchanged ?? response(request, status, content, all);
  }
  return new Response(heldBody(content as Uint8Array, place), { status, headers: all });
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

function response(
  request: Request,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Response {
  if (isRead(request)) {
    // Said here because the answer to HEAD loses its body, and its length with it.
    headers["content-length"] = String(Buffer.byteLength(body));
  }
  return new Response(wholeBody(body), { status, headers });
}

/**
 * Turns what a handler returned into a response. GET answers carry an ETag and answer If-None-Match. Throws
 * AnswerTooLarge and Busy for JSON.
 */
export async function respond(forge: Forge, request: Request, result: unknown): Promise<Response> {
  const reply =
    result instanceof Answer ? result.reply : { kind: "json" as const, status: 200, value: result, headers: {} };
  switch (reply.kind) {
    case "empty":
      return new Response(null, { status: reply.status, headers: reply.headers });
    case "json":
      return jsonResponse(forge, request, reply);
    case "bytes": {
      const headers = { "content-type": reply.contentType, ...reply.headers };
      const unchanged = isRead(request)
        ? notModified(request, reply.etag === null ? etagOf(reply.bytes) : `"${reply.etag}"`, headers)
        : null;
      return unchanged ?? response(request, 200, reply.bytes, headers);
    }
    case "stream": {
      const headers = { "content-type": reply.contentType, ...reply.headers };
      return (
        notModified(request, `"${reply.etag}"`, headers) ??
        new Response(await streamBody(request, reply.open), { headers })
      );
    }
    case "file": {
      const headers = { "content-type": reply.contentType, ...reply.headers };
      return notModified(request, `"${reply.etag}"`, headers) ?? fileResponse(request, reply, headers);
    }
  }
}
