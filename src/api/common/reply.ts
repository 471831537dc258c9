import type { FileReply } from "../../http/file-response.ts";

/**
 * What a handler answers when a plain value with status 200 is not enough. Built by the functions below;
 * turned into a response in one place (respond.ts).
 */
export type Reply =
  | { kind: "json"; status: number; value: unknown; headers: Record<string, string> }
  | { kind: "empty"; status: number; headers: Record<string, string> }
  | { kind: "bytes"; bytes: Uint8Array | string; contentType: string; etag: string | null; headers: Record<string, string> }
  | { kind: "stream"; open: () => AsyncIterable<Uint8Array>; contentType: string; etag: string; headers: Record<string, string> }
  | ({ kind: "file" } & FileReply);

export class Answer {
  constructor(readonly reply: Reply) {}
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return new Answer({ kind: "json", status, value, headers });
}

export function created(value: unknown): Answer {
  return json(201, value);
}

export function empty(status = 204, headers: Record<string, string> = {}): Answer {
  return new Answer({ kind: "empty", status, headers });
}

/** A file or a text. `etag` names the content where something better than its hash is at hand, such as an oid. */
export function bytes(content: Uint8Array | string, contentType: string, options: { etag?: string; headers?: Record<string, string> } = {}): Answer {
  return new Answer({ kind: "bytes", bytes: content, contentType, etag: options.etag ?? null, headers: options.headers ?? {} });
}

/** What is made while it is sent, so that nobody knows its length before. `etag` names the content. */
export function stream(open: () => AsyncIterable<Uint8Array>, contentType: string, etag: string, headers: Record<string, string> = {}): Answer {
  return new Answer({ kind: "stream", open, contentType, etag, headers });
}

/** A stored file: answers ranges, and reads nothing when the client has it already. */
export function file(reply: FileReply): Answer {
  return new Answer({ kind: "file", ...reply });
}
