import { messageOf } from "../lib/errors.ts";
import type { FromEditorconfigWorker, ToEditorconfigWorker } from "./editorconfig-reader.ts";
import { readDefinition } from "./read-definition.ts";

/** The global object of a worker, as far as it is used. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: { readonly data: ToEditorconfigWorker }) => void): void;
  postMessage(message: FromEditorconfigWorker, transfer: ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;

function read({ path, files }: ToEditorconfigWorker): FromEditorconfigWorker {
  try {
    return { definition: readDefinition(path, files) };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

scope.addEventListener("message", ({ data }) => scope.postMessage(read(data), []));
