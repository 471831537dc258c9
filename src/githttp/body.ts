import { GitRefusal } from "./refusals.ts";

/**
 * The body of a git request as a stream, unpacked where git sent it gzipped (it does so with long lists of haves).
 * However little was sent, not more than `maxBytes` come out of that. Throws GitRefusal for another encoding or media
 * type, and while it is read for what is not whole gzip data, or too much of it.
 */
export function gitBody(request: Request, service: "git-upload-pack" | "git-receive-pack", maxBytes: number): AsyncIterable<Uint8Array> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim();
  if (type !== `application/x-${service}-request`) {
    throw new GitRefusal(415, `The body of ${service} must be application/x-${service}-request`);
  }
  const encoding = request.headers.get("content-encoding") ?? "identity";
  const body = request.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => controller.close() });
  switch (encoding) {
    case "identity":
      return body;
    case "gzip":
    case "x-gzip":
      return unpack(body, maxBytes);
    default:
      throw new GitRefusal(415, `The encoding "${encoding}" is not supported`);
  }
}

async function* unpack(packed: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const chunks = packed.pipeThrough(new DecompressionStream("gzip"))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await chunks.next().catch(() => {
        throw new GitRefusal(400, "The body is not whole gzip data");
      });
      if (done === true) {
        return;
      }
      bytes += value.length;
      if (bytes > maxBytes) {
        throw new GitRefusal(413, `The body unpacks to more than the ${maxBytes} bytes that are taken`);
      }
      yield value;
    }
  } finally {
    await chunks.return?.().catch(() => {});
  }
}
