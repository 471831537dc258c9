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
  const bar = new SingleBar({ format: `${title} {bar} {percentage}% of {size} MiB, {eta_formatted} left`, stream: process.stderr, hideCursor: true, stopOnComplete: true }, Presets.shades_classic);
  bar.start(totalBytes, 0, { size: (totalBytes / mebibyte).toFixed(1) });
  return {
    update: (done) => bar.update(done),
    [Symbol.dispose]: () => bar.stop(),
  };
}

/** How far work in several phases is. Disposing leaves the bar as it is. */
export interface PhaseProgress extends Disposable {
  update(phase: string, done: number, total: number): void;
}

/** A bar on standard error that begins anew with each phase, when a person looks at it; nothing otherwise. */
export function phaseProgress(): PhaseProgress {
  if (!process.stderr.isTTY) {
    return { update() {}, [Symbol.dispose]() {} };
  }
  let bar: SingleBar | null = null;
  let current = "";
  return {
    update(phase, done, total) {
      if (phase !== current || bar === null) {
        bar?.stop();
        current = phase;
        bar = new SingleBar({ format: "{phase} {bar} {value}/{total}", stream: process.stderr, hideCursor: true }, Presets.shades_classic);
        bar.start(total, done, { phase });
      } else {
        bar.update(done);
      }
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}
