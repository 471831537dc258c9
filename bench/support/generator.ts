/** What sends the requests of a benchmark: wrk, or bench/load-generator.ts. Figures of one compare with its own only. */
export type Generator = "wrk" | "builtin";

/** For `parseArgs`. */
export const generatorOption = { type: "string", default: Bun.which("wrk") === null ? "builtin" : "wrk" } as const;

/** For the help of a command. */
export const generatorUsage = "  --generator NAME    wrk or builtin (default: wrk where it is installed)";

/** Reads the option's value. Throws for a name of no generator. */
export function readGenerator(name: string): Generator {
  if (name !== "wrk" && name !== "builtin") throw new Error(`--generator is wrk or builtin, not "${name}"`);
  return name;
}
