import { exitCodes } from "./exit-codes.ts";
import { printNote } from "./output.ts";

/**
 * A signal so soon after the first one is the same one: Ctrl-C in a terminal reaches the whole process group, and
 * `bun run`, like other launchers, passes it on once more.
 */
const sameSignalMs = 2000;
const parentLookMs = 500;

/**
 * Waits for SIGTERM or SIGINT. One that comes two seconds after the first or later ends the process at once.
 *
 * SIGHUP means two things: the terminal is gone, which stops the server like SIGTERM; or, without a terminal, a service
 * is to read again what may change while it runs. It never ends the process at once.
 */
export class StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal, with its name; or with "parent" when the parent has ended. */
  readonly received: Promise<NodeJS.Signals | "parent">;
  readonly #stop: (reason: "parent") => void;

  /** `onReload` is called at SIGHUP where there is no terminal; without it, SIGHUP stops the server. */
  constructor(onReload: (() => void) | null = null) {
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals | "parent">();
    let first: number | null = null;
    const onSignal = (name: NodeJS.Signals) => {
      if (first === null) {
        first = performance.now();
        controller.abort();
        resolve(name);
      } else if (performance.now() - first >= sameSignalMs) {
        printNote("stithy: ended before its requests were finished");
        process.exit(exitCodes.forced);
      }
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    const hasTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
    process.on("SIGHUP", (name) => {
      if (onReload !== null && !hasTerminal) {
        onReload();
      } else if (first === null) {
        onSignal(name);
      }
    });
    this.signal = controller.signal;
    this.received = promise;
    this.#stop = (reason) => {
      controller.abort();
      resolve(reason);
    };
  }

  /** Stops, as a signal does, when the process that started this one has ended, in whatever way: another one is the parent then. */
  followParent(): void {
    const parent = process.ppid;
    const looking = setInterval(() => {
      if (process.ppid !== parent) {
        clearInterval(looking);
        this.#stop("parent");
      }
    }, parentLookMs);
    looking.unref();
  }
}
