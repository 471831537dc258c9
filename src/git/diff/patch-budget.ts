/** Bounds on a patch: what is beyond is left out, file by file, and a line at the end says so. */
export interface PatchLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxMilliseconds: number;
}

export const defaultPatchLimits: PatchLimits = {
  maxFiles: 20_000,
  maxBytes: 256 * 1024 * 1024,
  maxMilliseconds: 60_000,
};

/** Bytes of a patch as they are made, good until the next step; `yield` without bytes is a point where others may go on. */
export type PatchSteps = Generator<Uint8Array | undefined, void>;

/** A thousand files that went and a thousand that came, all unlike, take as long as anyone lets them: the rest of the time is for the patch. */
const renameShare = 1 / 4;

/**
 * The bytes and the time that are left for a patch, or for several that are sent one after another. The time in which
 * the reader takes nothing does not count: a slow network does not shorten a patch.
 */
export class PatchBudget {
  #bytes = 0;
  #end: number;
  #spent = false;

  constructor(private readonly limits: PatchLimits) {
    this.#end = performance.now() + limits.maxMilliseconds;
  }

  /** How many bytes were handed to the reader so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so many bytes may follow. Once they may not, nothing may. */
  allows(bytes: number): boolean {
    this.#spent ||= this.#bytes + bytes > this.limits.maxBytes || performance.now() > this.#end;
    return !this.#spent;
  }

  /** Hands bytes to the reader. */
  *give(bytes: Uint8Array): PatchSteps {
    this.#bytes += bytes.length;
    const began = performance.now();
    yield bytes;
    this.#end += performance.now() - began;
  }

  /** Until when renamed files are looked for, in the time of `performance.now()`. */
  renamesUntil(): number {
    const now = performance.now();
    return now + Math.max(0, this.#end - now) * renameShare;
  }
}
