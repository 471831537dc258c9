/** Sets the idle timeout of one request's connection, in seconds; 0 turns it off. */
type SetLimit = (seconds: number) => void;

interface Limit {
  /** Remembers what it sets. */
  readonly set: SetLimit;
  /** the limit that was set last, seconds */
  seconds: number;
  /** the server's idle timeout, seconds */
  readonly idleSeconds: number;
  /** how long a small body may take in all, seconds */
  readonly smallBodySeconds: number;
  /** when the timeout was last restarted, ms */
  restarted: number;
  isExempt: boolean;
  /** Whether the server waits for the client's body, and not the client for the server. */
  isReading: boolean;
}

const limits = new WeakMap<Request, Limit>();

/** The longest timeout that Bun accepts, seconds. */
const longest = 255;
/** Bun looks at its timeouts this often: one may end by so much too early, seconds. */
const tickSeconds = 4;

/** A small body may take as long as so many idle timeouts, whether it moves or not. */
const smallBodyTimeouts = 4;

/** Stores how to change the idle timeout of a request. The server calls it for each request. */
export function setTimeLimits(request: Request, idleSeconds: number, set: SetLimit): void {
  const secondsOf = (timeouts: number) => Math.min(longest, timeouts * idleSeconds + tickSeconds);
  const limit: Limit = {
    set(seconds) {
      limit.seconds = seconds;
      set(seconds);
    },
    seconds: secondsOf(1),
    idleSeconds: secondsOf(1),
    smallBodySeconds: secondsOf(smallBodyTimeouts),
    restarted: 0,
    isExempt: false,
    isReading: false,
  };
  limits.set(request, limit);
}

/** Work that takes longer than this hangs: it is more than the longest of the engine, milliseconds. */
const longestWorkMs = 40 * 60_000;

/**
 * Works on a request. A client that waits for the server is not idle: the idle timeout of its connection is restarted while the work goes on,
 * except while the server reads the body, for which it counts. The work itself has its own limits, which are answered as errors.
 */
export async function whileWorking<Result>(request: Request, work: () => Promise<Result>): Promise<Result> {
  const limit = limits.get(request);
  if (limit === undefined) {
    return work();
  }
  const began = performance.now();
  const timer = setInterval(
    () => {
      if (!limit.isExempt && !limit.isReading && performance.now() - began < longestWorkMs) {
        limit.set(limit.seconds);
      }
    },
    (limit.idleSeconds * 1000) / 2,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** How often the timeout is restarted at most, ms. */
const restartMs = 500;

/** Sets the longest timeout, for a response that may take minutes to begin. */
export function extendTimeLimit(request: Request): void {
  limits.get(request)?.set(longest);
}

/**
 * Exempts a request from the server's idle timeout. For pushes by users who may push: git is silent while it makes
 * a pack, and the server is silent while it indexes it. And for streams of events, which are silent between events. The caller must limit the
 * total time.
 */
export function withoutTimeLimit(request: Request): void {
  const limit = limits.get(request);
  if (limit !== undefined) {
    limit.isExempt = true;
    limit.set(0);
  }
}

/** Restarts the idle timeout: something arrived. Bun counts a request's timeout from its head on, whatever follows. */
function restart(request: Request, force: boolean): void {
  const limit = limits.get(request);
  const now = performance.now();
  if (limit !== undefined && !limit.isExempt && (force || now - limit.restarted >= restartMs)) {
    limit.restarted = now;
    limit.set(limit.idleSeconds);
  }
}

/** The pieces of a request's body. Each restarts the idle timeout, so that an upload that moves is not cut off. */
export async function* bodyPieces(request: Request): AsyncGenerator<Uint8Array, void> {
  if (request.body === null) {
    return;
  }
  const limit = limits.get(request);
  if (limit !== undefined) {
    limit.isReading = true;
  }
  try {
    for await (const piece of request.body) {
      restart(request, false);
      yield piece;
    }
  } finally {
    if (limit !== undefined) {
      limit.isReading = false;
    }
  }
  // The handler has the whole time again.
  restart(request, true);
}

/**
 * The whole body of a request, for a small one: it takes half the time that its pieces would. It may take four
 * idle timeouts in all, since nobody is told what of it has arrived.
 */
export async function smallBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const limit = limits.get(request);
  if (limit?.isExempt !== false) {
    return new Uint8Array(await request.arrayBuffer());
  }
  limit.set(limit.smallBodySeconds);
  limit.isReading = true;
  const bytes = new Uint8Array(await request.arrayBuffer());
  limit.isReading = false;
  limit.set(limit.idleSeconds);
  return bytes;
}
