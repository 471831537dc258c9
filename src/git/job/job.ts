import { pieceBytes } from "./chunk-bytes.ts";
import { EngineCancelled } from "./errors.ts";

/** How far a piece of maintenance is. */
export interface WorkProgress {
  readonly phase: string;
  readonly done: number;
  /** 0 where it is not known */
  readonly total: number;
}

/** The interface of an operation to the request that it works for. */
export class Job {
  /** How far a stream may be ahead of its reader, bytes. */
  windowBytes = 0;
  readonly #flag: Int32Array | null;
  #cancelled = false;

  constructor(
    readonly name: string,
    flag: SharedArrayBuffer | null,
    private readonly report: (progress: unknown) => void,
  ) {
    this.#flag = flag === null ? null : new Int32Array(flag);
  }

  cancel(): void {
    this.#cancelled = true;
  }

  get cancelled(): boolean {
    return this.#cancelled || (this.#flag !== null && Atomics.load(this.#flag, 0) !== 0);
  }

  /** How much a stream makes at once, bytes. */
  get pieceBytes(): number {
    return pieceBytes(this.windowBytes);
  }

  /** For work that does not yield: throws EngineCancelled as soon as nobody waits for the result. */
  throwIfCancelled(): void {
    if (this.cancelled) {
      throw new EngineCancelled(this.name);
    }
  }

  /** Tells of progress a few times a second at most, and throws EngineCancelled when nobody waits for the work. */
  throttled(): (progress: WorkProgress) => void {
    let last = performance.now();
    return (progress) => {
      this.throwIfCancelled();
      if (performance.now() - last > 200) {
        last = performance.now();
        this.progress(progress);
      }
    };
  }

  /** Reports progress to the caller. */
  progress(value: unknown): void {
    this.report(value);
  }
}

/** A result some of whose buffers move to the main thread instead of being copied; they must not be shared. */
export class Transferred<Result> {
  constructor(
    readonly value: Result,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

/** Work in steps: each `yield` is a point where other requests may have their turn. */
export type Steps<Result> = Generator<void, Result>;

/** The result of an operation, or steps that lead to it. */
export type Answer<Result> = Result | Transferred<Result> | Steps<Result | Transferred<Result>>;

/** Bytes of an answer as they become ready; `yield` without bytes is a point where others may have their turn. */
export type ByteSteps = Generator<Uint8Array | undefined, void>;

export function isGenerator(value: unknown): value is Generator<unknown, unknown> {
  return typeof value === "object" && value !== null && "next" in value && typeof value.next === "function";
}
