/**
 * The entry points of all workers. In the compiled executable every module has the executable's own URL, so such a path
 * leads somewhere only from a file directly in `src/`; `build.ts` names the same files as further entry points.
 */
export const gitWorkerUrl = new URL("./git/workers/git-worker.ts", import.meta.url);
export const textWorkerUrl = new URL("./markdown/text-worker.ts", import.meta.url);
export const indexWorkerUrl = new URL("./git/workers/index-worker.ts", import.meta.url);
export const yamlWorkerUrl = new URL("./lib/yaml/yaml-worker.ts", import.meta.url);
export const packageWorkerUrl = new URL("./registries/package-worker.ts", import.meta.url);
export const jsonWorkerUrl = new URL("./lib/json/json-worker.ts", import.meta.url);
