import { InvalidInput, StithyError, messageOf } from "../lib/errors.ts";
import { countGarbage } from "../lib/garbage.ts";

/** The body is larger than the operation takes. */
export class BodyTooLarge extends StithyError {
  constructor(limitBytes: number) {
    super("body-too-large", `The body is larger than the ${limitBytes} bytes that this operation takes`, { limitBytes });
  }
}

/** The body is not what its type says, such as JSON that does not parse. */
export class MalformedBody extends StithyError {
  constructor(reason: string) {
    super("malformed-body", `The body cannot be read: ${reason}`);
  }
}

/**
 * Reads a whole body, never more than the limit: a length that is declared too large is refused before a byte is read,
 * a chunked one as soon as it passes the limit. Throws BodyTooLarge.
 */
export async function readBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limitBytes) {
    throw new BodyTooLarge(limitBytes);
  }
  if (declared > 0) {
    // In one piece, where a stream would cost a second copy.
    return await request.bytes();
  }
  if (request.body === null) {
    return new Uint8Array(0);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > limitBytes) {
      throw new BodyTooLarge(limitBytes);
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/** Smaller bodies leave nothing behind that is worth looking for. */
const largeBytes = 4 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedBody("it is not UTF-8");
  }
}

/** Reads a JSON body; none at all is an empty object. Throws BodyTooLarge, MalformedBody; InvalidInput for a text with a NUL. */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const bytes = await readBody(request, limitBytes);
  const { length } = bytes;
  const value = parseJsonBytes(bytes);
  if (length > largeBytes) {
    // The pieces, the whole and its text: with what is made of the value, a few of those at once would take a gigabyte.
    countGarbage(3 * length);
  }
  return value;
}

/** The value of a JSON body. Throws MalformedBody; InvalidInput for a text with a NUL. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(decode(bytes));
}

function parseJson(text: string): unknown {
  if (text.trim() === "") {
    return {};
  }
  try {
    // No text that is stored can have a NUL; looking closer costs only those bodies that seem to have one.
    return text.includes("\\u0000") ? JSON.parse(text, refuseNul) : JSON.parse(text);
  } catch (error) {
    throw error instanceof InvalidInput ? error : new MalformedBody(`it is not JSON (${messageOf(error)})`);
  }
}

function refuseNul(key: string, value: unknown): unknown {
  if (key.includes("\0") || (typeof value === "string" && value.includes("\0"))) {
    const field = key.replaceAll("\0", "");
    throw new InvalidInput(`${field === "" ? "The body" : field} contains a NUL character`, field);
  }
  return value;
}

/** Reads a text body. Throws BodyTooLarge, MalformedBody; InvalidInput for a NUL, which no text has. */
export async function readText(request: Request, limitBytes: number): Promise<string> {
  const text = decode(await readBody(request, limitBytes));
  if (text.includes("\0")) {
    throw new InvalidInput("The text contains a NUL character", "body");
  }
  return text;
}
