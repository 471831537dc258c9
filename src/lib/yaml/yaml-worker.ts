import { parseYaml, type ParsedYaml } from "./parse-yaml.ts";

/** The global object of a worker, as far as it is used. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: { readonly data: string }) => void): void;
  postMessage(message: ParsedYaml, transfer: ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.addEventListener("message", ({ data }) => scope.postMessage(parseYaml(data), []));
