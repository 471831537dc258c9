import type { ByteSteps } from "./job.ts";
import type { MemoScope } from "./memo.ts";

/** A larger answer would push everything else out of the memo. */
const largestAnswerBytes = 2 * 1024 * 1024;
/** A smaller one is soon made again, and may be a refusal. */
const smallestAnswerBytes = 4096;
/** What all answers that are being made may have put aside together: slow readers take their time. */
const maxGatheredBytes = 8 * 1024 * 1024;
let gatheredBytes = 0;

/**
 * The bytes that `make` yields or, when they were asked for under the same key before, those that it yielded then: many
 * clone the newest commit alone, or fetch what was just pushed. The answer must follow from the key. `pieceBytes` says how
 * much is wanted at once.
 */
export function* rememberAnswer(memo: MemoScope, key: string, make: () => ByteSteps, pieceBytes: () => number): ByteSteps {
  const known = memo.find<Uint8Array>(key);
  if (known !== null) {
    for (let at = 0; at < known.length; ) {
      const end = Math.min(at + pieceBytes(), known.length);
      yield known.subarray(at, end);
      at = end;
    }
    return;
  }
  const gathered: Uint8Array[] = [];
  let bytes = 0;
  let isKept = true;
  try {
    for (const chunk of make()) {
      if (chunk !== undefined && isKept) {
        isKept = bytes + chunk.length <= largestAnswerBytes && gatheredBytes + chunk.length <= maxGatheredBytes;
        if (isKept) {
          gathered.push(chunk.slice());
          bytes += chunk.length;
          gatheredBytes += chunk.length;
        } else {
          gathered.length = 0;
        }
      }
      yield chunk;
    }
    if (isKept && bytes >= smallestAnswerBytes) {
      memo.keep(key, Buffer.concat(gathered), bytes);
    }
  } finally {
    gatheredBytes -= bytes;
  }
}
