import { parse, YAMLError } from "yaml";
import { clip } from "../show-value.ts";

/** The result of a text: its value as JSON, or why it has none. */
export type ParsedYaml = { readonly json: string } | { readonly problem: string };

/** How often what an anchor names is repeated, in a whole text. */
const mostAliases = 50;
const mostLevels = 100;
/** Beyond this, the caller parses it again. */
const longestJson = 512 * 1024;

/** Why a value cannot be JSON, or is nested too deep; null where nothing is wrong. `within`: what it is in, the outermost first. */
function findProblem(value: unknown, within: object[]): string | null {
  if (typeof value !== "object" || value === null) {
    return null;
  }
  if (within.includes(value)) {
    return "an alias names what it is in";
  }
  if (within.length >= mostLevels) {
    return `more than ${mostLevels} levels`;
  }
  within.push(value);
  for (const item of Object.values(value)) {
    const problem = findProblem(item, within);
    if (problem !== null) {
      return problem;
    }
  }
  within.pop();
  return null;
}

/** Parses a text as YAML 1.2. A short one can take long, and much memory: only a thread that somebody can end may call it. */
export function parseYaml(text: string): ParsedYaml {
  try {
    const value: unknown = parse(text, {
      schema: "core",
      maxAliasCount: mostAliases,
      uniqueKeys: false,
      logLevel: "error",
    });
    const problem = findProblem(value, []);
    if (problem !== null) {
      return { problem };
    }
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
