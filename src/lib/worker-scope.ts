import { noteWork } from "./note-work.ts";

/** The global object of a worker, as far as it is used. */
interface WorkerScope<Received, Sent> {
  addEventListener(type: "message", listener: (event: { readonly data: Received }) => void): void;
  postMessage(message: Sent, transfer: ArrayBuffer[]): void;
  close(): void;
}

/** The global object of the thread that calls this, which is a worker. */
export function workerScope<Received, Sent>(): WorkerScope<Received, Sent> {
  return globalThis as unknown as WorkerScope<Received, Sent>;
}

/** Makes the thread that calls this a worker with one answer to each message. `answer` may not throw. What it leaves is collected at rest. */
export function answerMessages<Received, Sent>(answer: (received: Received) => Sent | Promise<Sent>): void {
  const scope = workerScope<Received, Sent>();
  scope.addEventListener("message", async ({ data }) => {
    scope.postMessage(await answer(data), []);
    noteWork();
  });
}
