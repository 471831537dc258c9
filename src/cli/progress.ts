/** How far a long piece of work is. Disposing leaves the bar as it is. */
export interface Progress extends Disposable {
  update(done: number): void;
}

const mebibyte = 1024 * 1024;
const barWidth = 40;
const drawnEachMs = 100;
const clearRest = "\u001b[K";

/** A bar on standard error for work measured in bytes, when a person looks at it; nothing otherwise. */
export function byteProgress(title: string, totalBytes: number): Progress {
  if (!process.stderr.isTTY || totalBytes === 0) {
    return { update() {}, [Symbol.dispose]() {} };
  }
  const draw = makeBar();
  const started = performance.now();
  const size = (totalBytes / mebibyte).toFixed(1);
  return {
    update(done) {
      const share = done / totalBytes;
      const seconds = Math.ceil(((performance.now() - started) / 1000) * (1 / share - 1));
      const left = Number.isFinite(seconds) ? `, ${seconds} s left` : "";
      draw(title, share, `${Math.floor(100 * share)}% of ${size} MiB${left}`);
    },
    [Symbol.dispose]: () => void process.stderr.write("\n"),
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
  const draw = makeBar();
  try {
    return await work((phase, done, total) => draw(phase, total === 0 ? 1 : done / total, `${done}/${total}`));
  } finally {
    process.stderr.write(`\r${clearRest}`);
  }
}

/** Draws a bar over the former one, ten times a second and when it is full. */
function makeBar(): (title: string, share: number, rest: string) => void {
  let nextMs = 0;
  return (title, share, rest) => {
    const now = performance.now();
    if (now < nextMs && share < 1) {
      return;
    }
    nextMs = now + drawnEachMs;
    const bar = "█".repeat(Math.floor(barWidth * Math.min(share, 1))).padEnd(barWidth, "░");
    const line = `${title} ${bar} ${rest}`.slice(0, (process.stderr.columns || 80) - 1);
    process.stderr.write(`\r${line}${clearRest}`);
  };
}
