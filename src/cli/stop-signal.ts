import { exitCodes } from "./exit-codes.ts";
import { printNote } from "./output.ts";

/** Waits for SIGTERM or SIGINT. From then on another one ends the process at once. */
export class StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal, with its name. */
  readonly received: Promise<NodeJS.Signals>;

  constructor() {
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
    const onSignal = (name: NodeJS.Signals) => {
      if (controller.signal.aborted) {
        printNote("stithy: ended before its requests were finished");
        process.exit(exitCodes.forced);
      }
      controller.abort();
      resolve(name);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    this.signal = controller.signal;
    this.received = promise;
  }
}
