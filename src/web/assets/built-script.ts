/** The script of the pages, bundled; null where the program runs from its sources. `build.ts` replaces this module. */
export const builtScript: string | null = null;
