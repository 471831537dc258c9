import { parse, YAMLError } from "yaml";
import { clip } from "../show-value.ts";

/** What a text says: JSON of its value, or why it has none. */
export type ParsedYaml = { readonly json: string } | { readonly problem: string };

/** How often what an anchor names is repeated, in a whole text. */
const mostAliases = 50;
/** Whoever asked parses it again. */
const longestJson = 512 * 1024;

/** Parses a text as YAML 1.2. A short one can take long, and much memory: only a thread that somebody can end may call it. */
export function parseYaml(text: string): ParsedYaml {
  try {
    const value: unknown = parse(text, {
      schema: "core",
      maxAliasCount: mostAliases,
      uniqueKeys: false,
      logLevel: "error",
    });
    const json = JSON.stringify(value ?? null);
    return json.length > longestJson ? { problem: "its aliases make it too large" } : { json };
  } catch (error) {
    if (error instanceof YAMLError) {
      return { problem: `not YAML: ${clip(error.message.split("\n")[0] ?? "", 200)}` };
    }
    if (error instanceof ReferenceError) {
      return { problem: `an anchor that is not there, or aliases that make more than ${mostAliases} copies` };
    }
    if (error instanceof RangeError) {
      return { problem: "too many levels" };
    }
    throw error;
  }
}
