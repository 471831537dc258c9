import { fullGC } from "bun:jsc";

/** How often a thread that did something is looked at. */
const lookMs = 5000;
/** Looks in a row that find the thread at rest, until it is a long rest: 45 s. */
const looksOfLongRest = 9;
/** A thread that did no more than this between two looks is at rest: a monitor asks every few seconds whether the server is well. */
const fewWorks = 5;
/** Compiled code goes once after so much work: the next requests take some 20 ms of CPU each to compile it again. */
const worksBeforeShrinking = 200;

/**
 * Returns a function that a thread calls for each request, job or stream. When the thread is at rest again, `rest` is called after
 * 5 s and `longRest` after 45 s.
 */
export function watchRest(rest: () => void, longRest: () => void): () => void {
  let works = 0;
  let worksSinceRest = 0;
  let worksSinceLongRest = 0;
  let looksAtRest = 0;
  let timer: Timer | null = null;

  function look(): void {
    worksSinceRest += works;
    worksSinceLongRest += works;
    looksAtRest = works > fewWorks ? 0 : looksAtRest + 1;
    works = 0;
    if (looksAtRest === 1 && worksSinceRest > fewWorks) {
      worksSinceRest = 0;
      rest();
    }
    if (looksAtRest < looksOfLongRest) {
      return;
    }
    if (worksSinceLongRest >= worksBeforeShrinking) {
      worksSinceLongRest = 0;
      longRest();
    }
    if (timer !== null) {
      clearInterval(timer);
    }
    timer = null;
    looksAtRest = 0;
  }

  return () => {
    works++;
    timer ??= setInterval(look, lookMs).unref();
  };
}

/**
 * Notes that this thread did something. Bun's own timer collects little by little while a thread works; what is left when it stops
 * is collected here at once, and at a long rest also compiled code.
 */
export const noteWork = watchRest(fullGC, () => Bun.shrink());
