/** A stored file, of which a part may be wanted, or nothing because the client has it. */
export interface FileReply {
  /** Its bytes, a file of this machine, or how to read the bytes from `start` up to `end`. */
  content: Uint8Array | Blob | ((start: number, end: number) => ReadableStream<Uint8Array>);
  /** Bytes. */
  size: number;
  contentType: string;
  /** Names the content. */
  etag: string;
  headers: Record<string, string>;
}

/** A part of a file: first byte, and the byte after the last one. */
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
    return last === "" ? null : length === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) {
    return null;
  }
  return start >= size ? "unsatisfiable" : { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

/** A stream that is only opened when its first byte is wanted, so that an answer to HEAD reads nothing. */
export function openLate(open: () => AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
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

/** Answers with a file or the range asked for. The ETag has been compared before. */
export function fileResponse(request: Request, file: FileReply, headers: Record<string, string>): Response {
  const ifRange = request.headers.get("if-range");
  const range = ifRange !== null && ifRange !== `"${file.etag}"` ? null : parseRange(request.headers.get("range"), file.size);
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
  return new Response(partOf(file.content, start, end), { status: range === null ? 200 : 206, headers });
}

function partOf(content: FileReply["content"], start: number, end: number): Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> {
  if (content instanceof Uint8Array) {
    return content.subarray(start, end) as Uint8Array<ArrayBuffer>;
  }
  return content instanceof Blob ? content.slice(start, end) : openLate(() => content(start, end));
}
