import { setInterval } from "node:timers/promises";
import { waitLimitMs } from "./limits.ts";

/** Waits until a condition holds, asking every five milliseconds; throws after `milliseconds`. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  milliseconds = waitLimitMs,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  if (await condition()) {
    return;
  }
  for await (const _ of setInterval(5)) {
    if (await condition()) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`It did not come to pass within ${milliseconds} ms that ${what}`);
    }
  }
}
