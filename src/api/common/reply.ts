import type { FileReply } from "../../http/file-response.ts";

/**
 * The answer of a handler if a value with status 200 is not enough. The functions below make it; respond.ts turns it
 * into a response.
 */
export type Reply =
  | { kind: "json"; status: number; value: unknown; headers: Record<string, string> }
  | { kind: "empty"; status: number; headers: Record<string, string> }
  | {
      kind: "bytes";
      bytes: Uint8Array | string;
      contentType: string;
      etag: string | null;
      headers: Record<string, string>;
    }
  | {
      kind: "stream";
      open: () => AsyncIterable<Uint8Array>;
      contentType: string;
      etag: string;
      headers: Record<string, string>;
    }
  | ({ kind: "file" } & FileReply);

/** Stands for a body of bytes in the type of an answer. */
export interface Bytes {
  readonly isBytes: true;
}

/** Stands for no body in the type of an answer. */
export interface Nothing {
  readonly isNothing: true;
}

/**
 * A result with its status. The type parameters say what it is, so that an endpoint compiles only with the answers that
 * it declares: `Content` is the value of its JSON, Bytes or Nothing.
 */
export class Answer<out Status extends number = number, out Content = unknown> {
  declare readonly type: { status: Status; content: Content };

  constructor(readonly reply: Reply) {}
}

export function json<const Status extends number, Value>(
  status: Status,
  value: Value,
  headers: Record<string, string> = {},
): Answer<Status, Value> {
  return new Answer({ kind: "json", status, value, headers });
}

export function created<Value>(value: Value): Answer<201, Value> {
  return json(201, value);
}

export function empty(): Answer<204, Nothing>;
export function empty<const Status extends number>(
  status: Status,
  headers?: Record<string, string>,
): Answer<Status, Nothing>;
export function empty(status = 204, headers: Record<string, string> = {}): Answer<number, Nothing> {
  return new Answer({ kind: "empty", status, headers });
}

/** The answer of a question: 204 for yes, 404 for no, both without a body. */
export function yesOrNo(isSo: boolean): Answer<204, Nothing> | Answer<404, Nothing> {
  return isSo ? empty(204) : empty(404);
}

/** A file or a text. `etag` names the content where something better than its hash is at hand, such as an oid. */
export function bytes(
  content: Uint8Array | string,
  contentType: string,
  options: { etag?: string; headers?: Record<string, string> } = {},
): Answer<200, Bytes> {
  return new Answer({
    kind: "bytes",
    bytes: content,
    contentType,
    etag: options.etag ?? null,
    headers: options.headers ?? {},
  });
}

/** A body that is made while it is sent, so its length is unknown. `etag` names the content. */
export function stream(
  open: () => AsyncIterable<Uint8Array>,
  contentType: string,
  etag: string,
  headers: Record<string, string> = {},
): Answer<200, Bytes> {
  return new Answer({ kind: "stream", open, contentType, etag, headers });
}

/** A stored file: answers ranges, and reads nothing when the client has it already. */
export function file(reply: FileReply): Answer<200, Bytes> {
  return new Answer({ kind: "file", ...reply });
}
