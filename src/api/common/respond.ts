import type { Forge } from "../../domain/spine/forge.ts";
import { fileResponse, heldBody, streamBody } from "../../http/file-response.ts";
import { notModified } from "../../http/not-modified.ts";
import { wholeBody } from "../../http/whole-body.ts";
import type { WrittenJson } from "../../lib/json/json-writer.ts";
import { Answer, type Reply } from "./reply.ts";

type JsonReply = Extract<Reply, { kind: "json" }>;

const jsonType = "application/json;charset=utf-8";

function etagOf(content: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(content).toString(36)}"`;
}

/** Answers with JSON that is written; the answer keeps its place until it is sent. */
function jsonResponse(request: Request, { status, headers }: JsonReply, { content, place }: WrittenJson): Response {
  const all = { "content-type": jsonType, ...headers };
  const unchanged = isRead(request) ? notModified(request, etagOf(content), all) : null;
  if (place === null || unchanged !== null) {
    place?.[Symbol.dispose]();
    return unchanged ?? response(request, status, content, all);
  }
  return new Response(heldBody(content, place), { status, headers: all });
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

function replyOf(result: unknown): Reply {
  return result instanceof Answer ? result.reply : { kind: "json", status: 200, value: result, headers: {} };
}

/**
 * Has a handler do its work and turns what it returns into a response. GET answers carry an ETag and answer If-None-Match. Where a large
 * answer to a question has to wait for others, what was found is let go, and found again when it is its turn: forty lists of long texts are
 * gigabytes. Throws AnswerTooLarge and Busy for JSON.
 */
export async function answer(forge: Forge, request: Request, handle: () => unknown): Promise<Response> {
  const { jsonWriter } = forge;
  const { signal } = request;
  let reply: Reply | null = replyOf(await handle());
  if (reply.kind !== "json") {
    return otherResponse(request, reply);
  }
  const written = await jsonWriter.writeNow(reply.value, signal);
  if (written !== null) {
    return jsonResponse(request, reply, written);
  }
  if (isRead(request)) {
    reply = null;
  }
  const place = await jsonWriter.takePlace(signal);
  try {
    reply ??= replyOf(await handle());
    if (reply.kind === "json") {
      return jsonResponse(request, reply, await jsonWriter.write(reply.value, place, signal));
    }
    place[Symbol.dispose]();
    return await otherResponse(request, reply);
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

/** Makes a response that is not JSON. */
async function otherResponse(request: Request, reply: Exclude<Reply, JsonReply>): Promise<Response> {
  switch (reply.kind) {
    case "empty":
      return new Response(null, { status: reply.status, headers: reply.headers });
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
