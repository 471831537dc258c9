import { workerScope } from "../../lib/worker-scope.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import { WorkerHost, type Handlers } from "./worker-host.ts";

/** Makes the thread that calls this a worker that answers requests with these handlers. */
export function serveWorker(handlers: Handlers): void {
  const scope = workerScope<ToWorker, FromWorker>();
  const host = new WorkerHost(
    handlers,
    (message, transfer) => scope.postMessage(message, transfer),
    () => scope.close(),
  );
  scope.addEventListener("message", (event) => host.receive(event.data));
}
