import type { Logger } from "./log.ts";

/** A wait that is no longer is not worth a line. */
const firstMs = 5000;
const laterMs = 30_000;

/**
 * Returns what a step of a start returns, and logs what it waits for: after five seconds, and each half a minute from then on. A busy
 * machine makes every step slow, so a step has no time limit of its own unless nothing moves any more.
 */
export async function sayAwaited<Result>(log: Logger, what: string, step: Promise<Result>): Promise<Result> {
  const began = performance.now();
  const say = () => log.warn({ seconds: Math.round((performance.now() - began) / 1000) }, `Still waiting for ${what}`);
  let timer = setTimeout(function again() {
    say();
    timer = setTimeout(again, laterMs);
  }, firstMs);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
  }
}
