import { InvalidInput } from "../lib/errors.ts";
import type { JsonParser } from "../lib/json/json-parser.ts";
import { MalformedBody, readBody } from "./request-body.ts";

/**
 * Reads a JSON body; none at all is an empty object. Throws BodyTooLarge, MalformedBody; InvalidInput for a text with a
 * NUL; and what JsonParser throws.
 */
export async function readJson(parser: JsonParser, request: Request, limitBytes: number): Promise<unknown> {
  return parseJsonBytes(parser, await readBody(request, limitBytes), request.signal);
}

/** The value of a JSON body, whose memory is given away. Throws as readJson does. */
export async function parseJsonBytes(parser: JsonParser, bytes: Uint8Array, signal: AbortSignal): Promise<unknown> {
  const parsed = await parser.parse(bytes, signal);
  if ("malformed" in parsed) {
    throw new MalformedBody(parsed.malformed);
  }
  if ("nulIn" in parsed) {
    const { nulIn } = parsed;
    throw new InvalidInput(`${nulIn === "" ? "The body" : nulIn} contains a NUL character`, nulIn);
  }
  return parsed.value;
}
