import { GitRefusal } from "./refusals.ts";

/**
 * The body of a git request as a stream, unpacked where git sent it gzipped (it does so with long lists of haves).
 * Whoever reads it bounds what comes out. Throws GitRefusal for another encoding or media type, and while it is read
 * for what is not whole gzip data.
 */
export function gitBody(request: Request, service: "git-upload-pack" | "git-receive-pack"): AsyncIterable<Uint8Array> {
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
      return unpack(body);
    default:
      throw new GitRefusal(415, `The encoding "${encoding}" is not supported`);
  }
}

async function* unpack(packed: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  const chunks = packed.pipeThrough(new DecompressionStream("gzip"))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await chunks.next().catch(() => {
        throw new GitRefusal(400, "The body is not whole gzip data");
      });
      if (done === true) {
        return;
      }
      yield value;
    }
  } finally {
    await chunks.return?.().catch(() => {});
  }
}
