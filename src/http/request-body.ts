import { InvalidInput, StithyError } from "../lib/errors.ts";
import { releaseBytes } from "../lib/release-bytes.ts";
import { readWithin } from "../lib/read-within.ts";
import { BodyBudget } from "./body-budget.ts";
import { bodyPieces, smallBody } from "./time-limit.ts";

/** The request body is larger than the operation's limit. */
export class BodyTooLarge extends StithyError {
  constructor(limitBytes: number) {
    super("too-large", "body-too-large", `The body is larger than the ${limitBytes} bytes that this operation takes`, {
      limitBytes,
    });
  }
}

/** The request body cannot be parsed as its content type, for example invalid JSON. */
export class MalformedBody extends StithyError {
  constructor(reason: string) {
    super("malformed", "malformed-body", `The body cannot be read: ${reason}`);
  }
}

/** The request body comes so slowly that it would hold memory for hours. */
class BodyTooSlow extends StithyError {
  constructor(seconds: number) {
    super(
      "too-slow",
      "body-too-slow",
      `The body did not arrive within ${seconds} seconds; send it faster, or in smaller requests`,
    );
  }
}

/** Bodies up to this are waited for as a whole. Everybody can send one. */
const smallBytes = 64 * 1024;

/** Bounds the bytes of all bodies that have not arrived whole. */
const budget = new BodyBudget(128 * 1024 * 1024, smallBytes);
/** For a body that may be larger, the budget has room for so many like it: its own, another one's, and as much that stays free. */
const largestBodies = 3;

/** A body may take this long, and a second more for each 4,000 bytes. */
const leastMs = 60_000;
const bytesPerMs = 4;

/**
 * Reads a whole body, up to a limit. A body that declares a larger length is refused before a byte is read, a chunked
 * body as soon as it passes the limit. Throws BodyTooLarge, BodyTooSlow, and Busy when too much is held of bodies that are under way.
 */
export async function readBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limitBytes) {
    throw new BodyTooLarge(limitBytes);
  }
  using held = budget.open(largestBodies * limitBytes);
  if (declared > 0 && declared <= smallBytes) {
    held.add(declared);
    // Awaited here: the bytes are held until then.
    return await smallBody(request);
  }
  // Of a declared length, in one piece of memory: pieces that are put together later take twice as much.
  const whole = declared > 0 ? new Uint8Array(declared) : null;
  const pieces: Uint8Array[] = [];
  let length = 0;
  const longestMs = leastMs + Math.ceil((declared || limitBytes) / bytesPerMs);
  const late = () => new BodyTooSlow(Math.ceil(longestMs / 1000));
  for await (const piece of readWithin(bodyPieces(request), longestMs, late)) {
    held.add(piece.byteLength);
    whole?.set(piece, length);
    length += piece.byteLength;
    if (length > limitBytes) {
      throw new BodyTooLarge(limitBytes);
    }
    if (whole === null) {
      pieces.push(piece);
    } else {
      releaseBytes(piece);
    }
  }
  if (whole !== null) {
    return whole.subarray(0, length);
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, length);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedBody("it is not UTF-8");
  }
}

/** Reads a text body. Throws BodyTooLarge, MalformedBody, and InvalidInput if the text contains a NUL. */
export async function readText(request: Request, limitBytes: number): Promise<string> {
  const text = decode(await readBody(request, limitBytes));
  if (text.includes("\0")) {
    throw new InvalidInput("The text contains a NUL character", "body");
  }
  return text;
}
