import { countGarbage } from "../garbage.ts";
import { parseJson, type ParsedJson } from "./parse-json.ts";

/** The global object of a worker, as far as it is used. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: { readonly data: Uint8Array }) => void): void;
  postMessage(message: ParsedJson, transfer: ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.addEventListener("message", ({ data }) => {
  const { length } = data;
  scope.postMessage(parseJson(data), []);
  // The bytes, their text and what was made of it: this thread is idle now, and would keep them for long.
  countGarbage(3 * length);
});
