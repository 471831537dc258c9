import { readFileSync } from "node:fs";

/**
 * A repository that got many pushes since it was repacked has hundreds of packs. If fewer may stay open, each write to it opens
 * all of them anew.
 */
const wanted = 1024;
/** Each thread of git keeps as many, and clients and the database need files, too. */
const partOfOpenFiles = 16;
/** Where the limit cannot be read. */
const usualOpenFiles = 4096;

/** How many packs that nobody uses a thread may keep open: each holds a file descriptor, of which a process has a limited number. */
export function mostIdlePacks(limits: string = readLimits()): number {
  const soft = /^Max open files +([0-9]+|unlimited)/m.exec(limits)?.[1];
  const openFiles = soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft ?? usualOpenFiles);
  return Math.min(wanted, Math.floor(openFiles / partOfOpenFiles));
}

/** Bun raises this limit to what the system permits when a process begins. */
function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
