import { AnswerInMaking } from "./answer-in-making.ts";
import type { ByteSteps } from "../job/job.ts";
import type { MemoScope } from "./memo.ts";
import { WholeAnswer } from "./whole-answer.ts";

/** A larger part of the memo is not given to one answer: it would push everything else out. */
const largestShare = 3 / 8;
/** A smaller one is soon made again, and may be a refusal. */
const smallestAnswerBytes = 4096;

/** An answer of more bytes than this is not kept. */
export function largestAnswerBytes(memo: MemoScope): number {
  return memo.maxBytes * largestShare;
}

const underWay = new WeakMap<MemoScope, Map<string, AnswerInMaking>>();

/**
 * The bytes that `make` yields or, when they were asked for under the same key before, those that it yielded then: many
 * clone the newest commit alone, or fetch what was just pushed, and mostly at the same time. The answer must follow from
 * the key. `pieceBytes` says how much is wanted at once, `isCheap` as soon as it is known whether the answer costs next to
 * nothing to make again.
 */
export function* rememberAnswer(
  memo: MemoScope,
  key: string,
  make: () => ByteSteps,
  pieceBytes: () => number,
  isCheap: () => boolean = () => false,
): ByteSteps {
  const known = memo.find<WholeAnswer>(key);
  const large = `large ${key}`;
  if (known?.isReadable === true) {
    yield* known.read(pieceBytes);
  } else if (known !== null || !WholeAnswer.hasRoom || memo.find(large) !== null) {
    yield* make();
  } else {
    const others = underWay.get(memo) ?? new Map<string, AnswerInMaking>();
    underWay.set(memo, others);
    const other = others.get(key);
    if (other !== undefined) {
      const whole = yield* other.wait();
      yield* whole?.read(pieceBytes) ?? make();
      return;
    }
    const making = new AnswerInMaking({
      steps: make(),
      pieceBytes,
      maxBytes: largestAnswerBytes(memo),
      isCheap,
      onOutcome: (outcome) => {
        others.delete(key);
        if ("whole" in outcome && outcome.bytes >= smallestAnswerBytes) {
          memo.keepObject(key, outcome.whole, outcome.bytes);
        } else if ("tooLarge" in outcome && outcome.tooLarge) {
          // So that the next need not put it aside to find that out.
          memo.keep(large, true, 64);
        }
      },
    });
    others.set(key, making);
    yield* making.lead();
  }
}
