import { edenGC, fullGC } from "bun:jsc";

/** How much garbage may pile up before it is collected. */
const collectAfterBytes = 32 * 1024 * 1024;

let uncollectedBytes = 0;

/**
 * Tells how many bytes of buffers this thread has just made that nobody will need for long. JavaScriptCore counts
 * neither buffers that have moved to another thread nor the small views that heavy work makes as what they weigh, and
 * lets its heap double before it looks: so a thread that does such work collects by its own count. That takes 5 to 20 ms
 * each time: on the main thread it is for what blocks it longer anyway.
 */
export function countGarbage(bytes: number, collect: () => void = collectGarbage): void {
  uncollectedBytes += bytes;
  if (uncollectedBytes >= collectAfterBytes) {
    collect();
  }
}

/**
 * Collects what is no longer used, for more of the same: what was compiled stays, and memory is not given back to the
 * system at once. Reading that fills and empties caches takes a tenth less than with `collectGarbage`.
 */
export function recycleGarbage(): void {
  uncollectedBytes = 0;
  fullGC();
}

/**
 * Collects only what is young, in a millisecond: for small things that are no longer used right after they were made, as
 * the views that work on a buffer makes.
 */
export function collectYoung(): void {
  uncollectedBytes = 0;
  edenGC();
}

let agedBytes = 0;

/**
 * Tells how many bytes this thread has made that are held for longer than a moment, by somebody who waits: a large answer, and the rows that it is
 * written from. By the time they are let go they are old, and `collectYoung`, which runs many times meanwhile, leaves
 * them: six answers of 24 MB left 300. Each collection takes 20 to 50 ms, and so many bytes of answers ten times as long.
 */
export function countAged(bytes: number, collect: () => void = recycleGarbage): void {
  agedBytes += bytes;
  if (agedBytes >= collectAfterBytes) {
    agedBytes = 0;
    collect();
  }
}

/** Gives back what is no longer used, at a point where much of it is known to be. */
export function collectGarbage(): void {
  uncollectedBytes = 0;
  Bun.gc(true);
}

/** So many pieces of streams leave some 20 MB of messages, promises and views. */
const piecesBetweenCollections = 2000;

let pieces = 0;
let isUncollected = false;

/**
 * Tells that a piece of a stream went through this thread. Left to itself, a heap lets as much garbage pile up as it is
 * large, shared memory and the source of all modules included. To collect what is young takes some 3 ms.
 */
export function countPiece(): void {
  if (++pieces >= piecesBetweenCollections) {
    pieces = 0;
    isUncollected = true;
    edenGC();
  }
}

/** How long no piece came: at the end of the last stream it is still held, and mostly another one follows soon. */
const quietMs = 50;

let isWaiting = false;

/** Tells that no stream is left: after many, what has become old meanwhile is collected, once all is quiet. That takes up to 20 ms. */
export function streamsEnded(collect: () => void = fullGC): void {
  // Where others follow without a pause, it ends many times before it is quiet: all of that is collected at once.
  if (isUncollected && !isWaiting) {
    isWaiting = true;
    collectWhenQuiet(collect);
  }
}

function collectWhenQuiet(collect: () => void): void {
  const last = pieces;
  setTimeout(() => {
    if (pieces === last) {
      isWaiting = false;
      isUncollected = false;
      collect();
    } else {
      collectWhenQuiet(collect);
    }
  }, quietMs).unref();
}

/** So long nothing was to do where a thread is at rest, and so many times as long it may go on before it collects all the same. */
const restMs = 5000;
const restsBetweenCollections = 6;
/** So much more than there was after the last time is worth it: what a few dozen requests leave. */
const leftoverBytes = 16 * 1024 * 1024;
/** After so much work it is worth it whatever is left: it costs each piece of it 0.1 ms. */
const manyWorks = 500;

let works = 0;
let isRestAwaited = false;
/** `works` when much of it was followed by a rest */
let collectedWorks = 0;
let keptBytes = 0;

/** So long after that, what belongs to much work goes as well, once no more of it came. Caches that are emptied at rest are empty by then. */
const longRestMs = 40_000;
/** What goes then costs the next requests some 20 ms of processor time each, and is made again within 0.3 s of it. */
const workOfLongRest = 1000;
/** Somebody who asks every few seconds whether the server is well, and a job now and then, do not put it off. */
const workWithinLongRest = 20;
let shrunkWorks = 0;

/** What holds something that it can do without for a while, or hold in less memory. */
interface Holder {
  /** Called at a long rest: nothing was asked of this thread for a while. May take some 10 ms. */
  rest(): void;
}

const holders = new Set<WeakRef<Holder>>();

/** Has a holder of this thread rest with it, for as long as somebody refers to the holder. */
export function restWithThread(holder: Holder): void {
  holders.add(new WeakRef(holder));
}

function restHolders(): void {
  for (const each of holders) {
    const holder = each.deref();
    if (holder === undefined) {
      holders.delete(each);
    } else {
      holder.rest();
    }
  }
}

/** Collects during work, or at rest. */
type Collect = (during: "work" | "rest" | "rest after much" | "long rest") => void;

/**
 * Tells that this thread did something: a request or a part of one, a job. What that left is collected, if it is
 * much or was much work, as soon as nothing more comes; while it does, twice a minute beside the work, which must not wait.
 * This stands for Bun's own timer, which collects every second in each thread for half a minute after whatever happened (see cli/restart-without-gc-timer.ts).
 */
export function noteWork(collect: Collect = collectLeftovers): void {
  works++;
  if (!isRestAwaited) {
    isRestAwaited = true;
    // What was collected is given back piece by piece, mostly after it was looked at: too high, this hid 40 MB of garbage.
    keptBytes = Math.min(keptBytes, heldBytes());
    collectAtRest(collect, restsBetweenCollections);
  }
}

function collectAtRest(collect: Collect, rests: number): void {
  const last = works;
  setTimeout(() => {
    if (works === last) {
      isRestAwaited = false;
      const isMuchWork = works - collectedWorks >= manyWorks;
      collectedWorks = isMuchWork ? works : collectedWorks;
      collect(isMuchWork ? "rest after much" : "rest");
      awaitLongRest(collect);
    } else if (rests === 1) {
      // Maybe nothing more comes: the rest is awaited all the same.
      collect("work");
      collectAtRest(collect, restsBetweenCollections);
    } else {
      collectAtRest(collect, rests - 1);
    }
  }, restMs).unref();
}

function awaitLongRest(collect: Collect): void {
  const last = works;
  if (last - shrunkWorks < workOfLongRest) {
    return;
  }
  setTimeout(() => {
    if (works - last <= workWithinLongRest && works - shrunkWorks >= workOfLongRest) {
      shrunkWorks = works;
      collect("long rest");
    }
  }, longRestMs).unref();
}

/** What this thread's heap has taken, garbage included: JavaScriptCore's own size leaves out small objects made since the last collection. */
function heldBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/** A push of 80 MB of commits left 150 MB in the thread that indexed it, until that had been at rest for 5 s. */
const muchBytes = 48 * 1024 * 1024;

/** Collects at the end of a piece of work, if that and those before it left much. For threads where nobody waits for the next turn. */
export function collectMuch(collect: () => void = recycleGarbage): void {
  if (heldBytes() > keptBytes + muchBytes) {
    collect();
    keptBytes = heldBytes();
  }
}

/** Takes 20 to 50 ms at rest, if there is enough to collect; else that is done in other threads, nearly all of it. */
function collectLeftovers(during: Parameters<Collect>[0]): void {
  const isMuch = heldBytes() > keptBytes + leftoverBytes;
  if (during === "long rest") {
    restHolders();
    // Collects everything, and what was compiled: code, and what it was compiled from.
    Bun.shrink();
    keptBytes = heldBytes();
  } else if (during === "rest after much" || (during === "rest" && isMuch)) {
    fullGC();
    keptBytes = heldBytes();
  } else if (isMuch) {
    Bun.gc(false);
  }
}
