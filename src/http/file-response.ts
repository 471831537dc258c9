/** A stored file to respond with. The client may want a range of it, or nothing if its ETag matches. */
export interface FileReply {
  /** The bytes, a file on disk, or a function that reads the bytes from `start` up to `end`. */
  content: Uint8Array | Blob | ((start: number, end: number) => ReadableStream<Uint8Array>);
  /** Bytes. */
  size: number;
  contentType: string;
  /** The ETag of the content. */
  etag: string;
  headers: Record<string, string>;
}

/** A range of a file: the offset of its first byte, and the offset after its last one. */
interface ByteRange {
  start: number;
  end: number;
}

/**
 * The one range that a Range header asks for (RFC 9110 section 14); null for the whole file: without the header, with
 * another unit, with several ranges, and with one that cannot be read. "unsatisfiable" when it begins beyond the end.
 */
export function parseRange(header: string | null, size: number): ByteRange | "unsatisfiable" | null {
  const match = header === null ? null : /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header);
  if (match === null) {
    return null;
  }
  const [, first = "", last = ""] = match;
  if (first === "") {
    const length = Number(last);
    return last === ""
      ? null
      : length === 0 || size === 0
        ? "unsatisfiable"
        : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) {
    return null;
  }
  return start >= size ? "unsatisfiable" : { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

/**
 * The body of an answer that is made while it is sent, when its first bytes are there: what goes wrong before (no place in
 * a queue, a damaged object) is thrown, and becomes the status. What goes wrong later resets the connection, so that
 * nobody takes for whole what is not. The answer to HEAD has no body, and nothing is opened for it.
 */
export async function streamBody(
  request: Request,
  open: () => AsyncIterable<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  if (request.method === "HEAD") {
    return openLate(open);
  }
  const chunks = open()[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array> | null = await chunks.next();
  return openLate(() => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const given = first;
        first = null;
        return given ?? chunks.next();
      },
      return: async () => (await chunks.return?.()) ?? { value: undefined, done: true },
    }),
  }));
}

/** Returns a stream that opens its source when the first byte is read. */
function openLate(open: () => AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= open()[Symbol.asyncIterator]();
        const { value, done } = await chunks.next();
        if (done === true) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      async cancel() {
        await chunks?.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** How many bytes of what is in memory are handed over at once. */
const heldStep = 256 * 1024;

/** The body of an answer whose bytes are in memory. `place` is disposed of when they are sent, or nobody wants them any more. */
export function heldBody(bytes: Uint8Array, place: Disposable): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, (at += heldStep)));
        if (at >= bytes.length) {
          place[Symbol.dispose]();
          controller.close();
        }
      },
      cancel() {
        place[Symbol.dispose]();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Answers with a file or the range asked for. The ETag has been compared before. Throws what reading its first bytes throws. */
export async function fileResponse(
  request: Request,
  file: FileReply,
  headers: Record<string, string>,
): Promise<Response> {
  const ifRange = request.headers.get("if-range");
  const range =
    ifRange !== null && ifRange !== `"${file.etag}"` ? null : parseRange(request.headers.get("range"), file.size);
  headers["accept-ranges"] = "bytes";
  if (range === "unsatisfiable") {
    delete headers["content-type"];
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${file.size}` } });
  }
  const { start, end } = range ?? { start: 0, end: file.size };
  headers["content-length"] = String(end - start);
  if (range !== null) {
    headers["content-range"] = `bytes ${start}-${end - 1}/${file.size}`;
  }
  return new Response(await partOf(request, file.content, start, end), { status: range === null ? 200 : 206, headers });
}

async function partOf(
  request: Request,
  content: FileReply["content"],
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>> {
  if (content instanceof Uint8Array) {
    return content.subarray(start, end) as Uint8Array<ArrayBuffer>;
  }
  return content instanceof Blob ? content.slice(start, end) : streamBody(request, () => content(start, end));
}
