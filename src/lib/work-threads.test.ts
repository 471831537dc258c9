import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Busy } from "./fair-share.ts";
import { actAs } from "./request-context.ts";
import { TaskTooLong, ThreadsStopped, WorkThreads } from "./work-threads.ts";

const directory = mkdtempSync(join(tmpdir(), "stithy-threads-"));
afterAll(() => rmSync(directory, { recursive: true }));

const worker = join(directory, "worker.ts");
writeFileSync(
  worker,
  `let tasks = 0;
  addEventListener("message", ({ data }) => {
    if (data === "throw") throw new Error("broken");
    while (data === "forever");
    postMessage({ data, tasks: ++tasks });
  });`,
);

interface Answer {
  data: string;
  /** how many the thread has done */
  tasks: number;
}

const share = { what: "tasks", places: 2, placesEach: 2, waiting: 10, waitingEach: 3 };
const start = (timeLimitMs = 60_000, idleMs = 60_000) =>
  new WorkThreads<string, Answer>({ worker, timeLimitMs, idleMs, share });

describe("threads", () => {
  test("are used again", async () => {
    using threads = start();
    expect(await threads.run("a")).toEqual({ data: "a", tasks: 1 });
    expect(await threads.run("b")).toEqual({ data: "b", tasks: 2 });
  });

  test("end when a task takes too long, and the next task has a new one", async () => {
    using threads = start(300);
    await threads.run("a");
    expect(await threads.run("forever").catch((error: unknown) => error)).toBeInstanceOf(TaskTooLong);
    expect(await threads.run("b")).toEqual({ data: "b", tasks: 1 });
  });

  test("end when the worker fails", async () => {
    using threads = start();
    expect(String(await threads.run("throw").catch((error: unknown) => error))).toContain("broken");
    expect(await threads.run("b")).toEqual({ data: "b", tasks: 1 });
  });

  test("that were told to end keep their place until they have", async () => {
    const told: EventTarget[] = [];
    class Stuck extends EventTarget {
      postMessage(): void {
        this.dispatchEvent(new ErrorEvent("error", { message: "stuck" }));
      }

      terminate(): void {
        told.push(this);
      }
    }
    const narrow = { what: "tasks", places: 1, placesEach: 1, waiting: 0, waitingEach: 0 };
    using threads = new WorkThreads<string, Answer>({ worker, timeLimitMs: 60_000, idleMs: 60_000, share: narrow });
    const real = globalThis.Worker;
    globalThis.Worker = Stuck as unknown as typeof Worker;
    const failure = await threads.run("a").catch((error: unknown) => error);
    globalThis.Worker = real;
    expect(String(failure)).toContain("stuck");
    expect(told).toHaveLength(1);
    expect(await threads.run("b").catch((error: unknown) => error)).toBeInstanceOf(Busy);
    told[0]!.dispatchEvent(new Event("close"));
    await Promise.resolve();
    expect(await threads.run("c")).toEqual({ data: "c", tasks: 1 });
  });

  test("of one principal leave one for others", async () => {
    using threads = start();
    const endless = actAs("busy", () => [1, 2, 3].map(() => threads.run("forever").catch((error: unknown) => error)));
    expect(await actAs("other", () => threads.run("a"))).toHaveProperty("data", "a");
    expect(await actAs("other", () => threads.run("b"))).toHaveProperty("data", "b");
    threads[Symbol.dispose]();
    for (const error of await Promise.all(endless)) {
      expect(error).toBeInstanceOf(ThreadsStopped);
    }
  });

  test("are not waited for by more tasks of a principal than may wait", async () => {
    using threads = start();
    const tasks = Array.from({ length: 5 }, () => threads.run("forever").catch((error: unknown) => error));
    expect(await tasks[4]).toBeInstanceOf(Busy);
  });

  test("are not waited for by whoever leaves", async () => {
    using threads = start();
    const gone = new AbortController();
    void threads.run("forever").catch(() => {});
    const waiting = threads.run("a", [], gone.signal).catch((error: unknown) => error);
    gone.abort("left");
    expect(await waiting).toBe("left");
  });
});
