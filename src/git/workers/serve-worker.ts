import type { FromWorker, ToWorker } from "./protocol.ts";
import { WorkerHost, type Handlers } from "./worker-host.ts";

/** The global object of a worker, as far as it is used. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: { readonly data: ToWorker }) => void): void;
  postMessage(message: FromWorker, transfer: ArrayBuffer[]): void;
  close(): void;
}

/** Makes the thread that calls this a worker that answers requests with these handlers. */
export function serveWorker(handlers: Handlers): void {
  const scope = globalThis as unknown as WorkerScope;
  const host = new WorkerHost(
    handlers,
    (message, transfer) => scope.postMessage(message, transfer),
    () => scope.close(),
  );
  scope.addEventListener("message", (event) => host.receive(event.data));
}
