import { Presets, SingleBar } from "cli-progress";

/** How far a long piece of work is. Disposing leaves the bar as it is. */
export interface Progress extends Disposable {
  update(done: number): void;
}

const mebibyte = 1024 * 1024;

/** A bar on standard error for work measured in bytes, when a person looks at it; nothing otherwise. */
export function byteProgress(title: string, totalBytes: number): Progress {
  if (!process.stderr.isTTY || totalBytes === 0) {
    return { update() {}, [Symbol.dispose]() {} };
  }
  const bar = new SingleBar(
    {
      format: `${title} {bar} {percentage}% of {size} MiB, {eta_formatted} left`,
      stream: process.stderr,
      hideCursor: true,
      stopOnComplete: true,
    },
    Presets.shades_classic,
  );
  bar.start(totalBytes, 0, { size: (totalBytes / mebibyte).toFixed(1) });
  return {
    update: (done) => bar.update(done),
    [Symbol.dispose]: () => bar.stop(),
  };
}

/** Hears how far work in several phases is. */
export type OnPhase = (phase: string, done: number, total: number) => void;

/**
 * Does work under a bar on standard error that begins anew with each phase and is gone when the work ends, so that what
 * is printed then has a line of its own. There is a bar only when a person looks at it.
 */
export async function withPhaseProgress<Result>(work: (onPhase: OnPhase) => Promise<Result>): Promise<Result> {
  if (!process.stderr.isTTY) {
    return work(() => {});
  }
  let bar: SingleBar | null = null;
  let current = "";
  const onPhase: OnPhase = (phase, done, total) => {
    if (phase !== current || bar === null) {
      bar?.stop();
      current = phase;
      bar = new SingleBar(
        { format: "{phase} {bar} {value}/{total}", stream: process.stderr, hideCursor: true, clearOnComplete: true },
        Presets.shades_classic,
      );
      bar.start(total, done, { phase });
    } else {
      bar.update(done);
    }
  };
  try {
    return await work(onPhase);
  } finally {
    // The compiler does not see that the function above sets it.
    (bar as SingleBar | null)?.stop();
  }
}
