import { join } from "node:path";
import { builtScript } from "./built-script.ts";

/** Bundles the script of the pages from its sources. */
export async function bundleScript(): Promise<string> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", "client", "main.ts")],
    target: "browser",
    minify: true,
    sourcemap: "none",
  });
  const [output] = outputs;
  if (!success || output === undefined) {
    throw new AggregateError(logs, "The script of the pages could not be bundled");
  }
  return output.text();
}

let bundled: Promise<string> | null = null;

/** The script of the pages. From sources it is bundled at the first call. */
export function readScript(): Promise<string> {
  bundled ??= builtScript === null ? bundleScript() : Promise.resolve(builtScript);
  return bundled;
}

/** A word that changes with the script; null from sources, where it may change at any time. */
export const scriptVersion = builtScript === null ? null : Bun.hash.xxHash3(builtScript).toString(36);
