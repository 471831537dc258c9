import type { BuiltScripts } from "./scripts.ts";

/** The scripts of the pages, bundled; null where the program runs from its sources. `build.ts` replaces this module. */
export const builtScripts: BuiltScripts | null = null;
