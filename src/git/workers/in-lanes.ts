import { StithyError } from "../../lib/errors.ts";
import { NeedsHeavyLane } from "../job/lane.ts";

/** Work begun in the light lane, and again in the heavy one where it turns out to belong there. */
export async function callInLanes<Result>(light: () => Promise<Result>, heavy: () => Promise<Result>): Promise<Result> {
  try {
    return await light();
  } catch (error) {
    if (error instanceof NeedsHeavyLane) {
      return heavy();
    }
    throw error;
  }
}

/**
 * A stream begun in the light lane, and gone on with in the heavy one, which makes it again from its beginning: what was
 * given already is passed over. Throws when that is not what is made there.
 */
export async function* streamInLanes(
  light: () => AsyncIterable<Uint8Array>,
  heavy: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let given = 0;
  let sum = 0;
  try {
    for await (const chunk of light()) {
      given += chunk.length;
      sum = Bun.hash.crc32(chunk, sum);
      yield chunk;
    }
    return;
  } catch (error) {
    if (!(error instanceof NeedsHeavyLane)) {
      throw error;
    }
  }
  let left = given;
  let again = 0;
  for await (const chunk of heavy()) {
    const known = Math.min(left, chunk.length);
    left -= known;
    again = Bun.hash.crc32(chunk.subarray(0, known), again);
    if (left === 0 && again !== sum) {
      throw new StithyError("fault", "not-repeatable", "A stream was not the same when it was made again");
    }
    if (known < chunk.length) {
      yield chunk.subarray(known);
    }
  }
}
