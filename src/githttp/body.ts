import { gunzipSync } from "node:zlib";
import { bodyPieces, smallBody } from "../http/time-limit.ts";
import { GitRefusal } from "./refusals.ts";
import { pullStream } from "./streams.ts";

/** A body of no more than so many bytes is waited for as a whole: to read it as a stream takes several times as long. */
const wholeBytes = 32 * 1024;
/** Data of at most this unpacked size is unpacked at once, in a fraction of a millisecond. */
const unpackedBytes = 256 * 1024;

/**
 * The body of a git request as a stream, unpacked where git sent it gzipped (it does so with long lists of haves). The
 * caller limits how much comes out. Throws GitRefusal for another encoding or media type, and while it is read for
 * incomplete or invalid gzip data.
 */
export function gitBody(request: Request, service: "git-upload-pack" | "git-receive-pack"): AsyncIterable<Uint8Array> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== `application/x-${service}-request`) {
    throw new GitRefusal(415, `The body of ${service} must be application/x-${service}-request`);
  }
  const encoding = request.headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const isWhole = Number(request.headers.get("content-length") ?? Number.NaN) <= wholeBytes;
  if (isWhole && service === "git-upload-pack" && ["identity", "gzip", "x-gzip"].includes(encoding)) {
    return wholeBody(request, encoding !== "identity");
  }
  const body = bodyPieces(request);
  switch (encoding) {
    case "identity":
      return body;
    case "gzip":
    case "x-gzip":
      return unpack(pullStream(body));
    default:
      throw new GitRefusal(415, `The encoding "${encoding}" is not supported`);
  }
}

async function* wholeBody(request: Request, isPacked: boolean): AsyncGenerator<Uint8Array> {
  const bytes = await smallBody(request);
  let unpacked: Uint8Array | null = null;
  try {
    unpacked = isPacked ? gunzipSync(bytes, { maxOutputLength: unpackedBytes }) : bytes;
  } catch {
    // It becomes too large or is no gzip data; the reader of the stream gets the error.
  }
  if (unpacked === null) {
    yield* unpack(new Blob([bytes]).stream());
  } else {
    yield unpacked;
  }
}

async function* unpack(packed: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = packed as ReadableStream<Uint8Array<ArrayBuffer>>;
  const unpacked = stream.pipeThrough(new DecompressionStream("gzip"));
  const chunks = unpacked[Symbol.asyncIterator]();
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
