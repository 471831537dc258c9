import { StithyError } from "../../../lib/errors.ts";

/** A file of a repository cannot be read as what it is meant to be. */
export class UnreadableFile extends StithyError {
  constructor(problem: string) {
    super("invalid", "unreadable-file", problem);
  }
}

/** Longer files are not read. */
export const longestFile = 32 * 1024;

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
