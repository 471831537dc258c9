import type { ByteSteps } from "./job.ts";
import type { MemoScope } from "./memo.ts";

/** A larger part of the memo is not given to one answer: it would push everything else out. */
const largestShare = 3 / 8;
/** A smaller one is soon made again, and may be a refusal. */
const smallestAnswerBytes = 4096;
/** What all answers that are being made may have put aside together: slow readers take their time. */
const maxGatheredBytes = 8 * 1024 * 1024;
let gatheredBytes = 0;

/** An answer of more bytes than this is not kept. */
export function largestAnswerBytes(memo: MemoScope): number {
  return memo.maxBytes * largestShare;
}

/**
 * The bytes that `make` yields or, when they were asked for under the same key before, those that it yielded then: many
 * clone the newest commit alone, or fetch what was just pushed. The answer must follow from the key. `pieceBytes` says how
 * much is wanted at once, `isCheap` as soon as it is known whether the answer costs next to nothing to make again.
 */
export function* rememberAnswer(memo: MemoScope, key: string, make: () => ByteSteps, pieceBytes: () => number, isCheap: () => boolean = () => false): ByteSteps {
  const known = memo.find<readonly Uint8Array[]>(key);
  if (known !== null) {
    for (const chunk of known) {
      for (let at = 0; at < chunk.length; ) {
        const end = Math.min(at + pieceBytes(), chunk.length);
        yield chunk.subarray(at, end);
        at = end;
      }
    }
    return;
  }
  const limitBytes = largestAnswerBytes(memo);
  const gathered: Uint8Array[] = [];
  let bytes = 0;
  let isKept = true;
  try {
    for (const chunk of make()) {
      if (chunk !== undefined && isKept) {
        isKept = !isCheap() && bytes + chunk.length <= limitBytes && gatheredBytes + chunk.length <= maxGatheredBytes;
        if (isKept) {
          gathered.push(chunk.slice());
          bytes += chunk.length;
          gatheredBytes += chunk.length;
        } else {
          // At once, since a large answer may be read for minutes after this.
          gathered.length = 0;
          gatheredBytes -= bytes;
          bytes = 0;
        }
      }
      yield chunk;
    }
    if (isKept && bytes >= smallestAnswerBytes) {
      memo.keep(key, gathered, bytes);
    }
  } finally {
    gatheredBytes -= bytes;
  }
}
