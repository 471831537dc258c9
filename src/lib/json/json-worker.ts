import { countGarbage } from "../garbage.ts";
import { workerScope } from "../worker-scope.ts";
import { parseJson, type ParsedJson } from "./parse-json.ts";

const scope = workerScope<Uint8Array, ParsedJson>();

scope.addEventListener("message", ({ data }) => {
  const { length } = data;
  scope.postMessage(parseJson(data), []);
  // The bytes, their text and what was made of it: this thread is idle now, and would keep them for long.
  countGarbage(3 * length);
});
