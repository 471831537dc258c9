/** How much garbage may pile up before it is collected. */
const collectAfterBytes = 32 * 1024 * 1024;

let uncollectedBytes = 0;

/**
 * Tells how many bytes of buffers this thread has just made that nobody will need for long. JavaScriptCore counts
 * neither buffers that have moved to another thread nor the small views that heavy work makes as what they weigh, and
 * lets its heap double before it looks: so a thread that does such work collects by its own count. That takes 5 to 20 ms
 * each time: on the main thread it is for what blocks it longer anyway.
 */
export function countGarbage(bytes: number): void {
  uncollectedBytes += bytes;
  if (uncollectedBytes >= collectAfterBytes) {
    collectGarbage();
  }
}

/** Gives back what is no longer used, at a point where much of it is known to be. */
export function collectGarbage(): void {
  uncollectedBytes = 0;
  Bun.gc(true);
}
