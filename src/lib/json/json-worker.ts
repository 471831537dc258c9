import { noteWork } from "../note-work.ts";
import { workerScope } from "../worker-scope.ts";
import { parseJson, type ParsedJson } from "./parse-json.ts";

const scope = workerScope<Uint8Array, ParsedJson>();

scope.addEventListener("message", ({ data }) => {
  scope.postMessage(parseJson(data), []);
  noteWork();
});
