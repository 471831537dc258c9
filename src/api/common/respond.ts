import type { Forge } from "../../domain/forge.ts";
import { fileResponse, heldBody, streamBody } from "../../http/file-response.ts";
import { notModified } from "../../http/not-modified.ts";
import { wholeBody } from "../../http/whole-body.ts";
import { LargeAnswerWaits } from "../../lib/json/json-writer.ts";
import { collectYoung } from "../../lib/garbage.ts";
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
  held: Disposable | "none" | null,
): Promise<Response> {
  const { content, place } = await forge.jsonWriter.write(value, request.signal, held);
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
 * Has a handler do its work and turns what it returns into a response. Where a large answer to a question has to wait for others, what was found is
 * let go, and found again when it is its turn.
 */
export async function answer(forge: Forge, request: Request, handle: () => unknown): Promise<Response> {
  if (!isRead(request)) {
    return respond(forge, request, await handle(), null);
  }
  try {
    return await respond(forge, request, await handle(), "none");
  } catch (error) {
    if (!(error instanceof LargeAnswerWaits)) {
      throw error;
    }
  }
  collectYoung();
  const place = await forge.jsonWriter.takePlace(request.signal);
  try {
    return await respond(forge, request, await handle(), place);
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

/**
 * Turns what a handler returned into a response. GET answers carry an ETag and answer If-None-Match. `held`: see
 * JsonWriter. Throws AnswerTooLarge, Busy and, where it is "none", LargeAnswerWaits for JSON.
 */
export async function respond(
  forge: Forge,
  request: Request,
  result: unknown,
  held: Disposable | "none" | null = null,
): Promise<Response> {
  const reply =
    result instanceof Answer ? result.reply : { kind: "json" as const, status: 200, value: result, headers: {} };
  if (reply.kind !== "json" && held !== "none") {
    held?.[Symbol.dispose]();
  }
  switch (reply.kind) {
    case "empty":
      return new Response(null, { status: reply.status, headers: reply.headers });
    case "json":
      return jsonResponse(forge, request, reply, held);
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
