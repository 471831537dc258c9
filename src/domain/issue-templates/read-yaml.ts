import { parse, YAMLError } from "yaml";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

/** A file of a repository cannot be read as what it is meant to be. */
export class UnreadableFile extends StithyError {
  constructor(problem: string) {
    super("invalid", "unreadable-file", problem);
  }
}

/** Longer files are not read: text that is made to be slow takes a fifth of a second for so much. */
export const longestFile = 32 * 1024;

/** How often what an anchor names is repeated, in a whole file. */
const mostAliases = 50;

/** Parses a text as YAML 1.2 into plain values. Throws UnreadableFile. */
export function readYaml(text: string): unknown {
  try {
    return parse(text, { schema: "core", maxAliasCount: mostAliases, uniqueKeys: false, logLevel: "error" }) as unknown;
  } catch (error) {
    if (error instanceof YAMLError) {
      throw new UnreadableFile(`not YAML: ${clip(error.message.split("\n")[0] ?? "", 200)}`);
    }
    if (error instanceof ReferenceError) {
      throw new UnreadableFile(`an anchor that is not there, or aliases that make more than ${mostAliases} copies`);
    }
    if (error instanceof RangeError) {
      throw new UnreadableFile("too many levels");
    }
    throw error;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** Whether it is a mapping. */
export function isMapping(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or a number or yes and no as text; empty for all else. */
export function textOf(value: unknown): string {
  return typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : "";
}
