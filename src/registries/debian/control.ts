import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";

/** One field of a control file: its name as it is written, and its value with its further lines. */
export interface ControlField {
  readonly name: string;
  readonly value: string;
}

const fieldName = /^[!"$-,.-9;-~][!-9;-~]*$/;

const mostFields = 200;

/**
 * The fields of a control file, which is one paragraph. Throws BadPackage for what is none. Source: deb-control(5) and Debian Policy
 * section 5.1: a line that begins with a blank goes on with the field before it, and no field stands twice.
 */
export function parseControl(text: string): ControlField[] {
  const fields: { name: string; value: string }[] = [];
  const seen = new Set<string>();
  const lines = text.replaceAll("\r\n", "\n").trim().split("\n");
  for (const line of lines) {
    const last = fields.at(-1);
    if (line.trim() === "") {
      throw new BadPackage("The control file has more than one paragraph");
    }
    if (/^[ \t]/.test(line) && last !== undefined) {
      last.value += `\n${line.trimEnd()}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (!fieldName.test(name)) {
      throw new BadPackage(`The control file has a line that is no field: "${clip(line, 80)}"`);
    }
    const key = name.toLowerCase();
    if (seen.has(key)) {
      throw new BadPackage(`The control file has the field "${clip(name, 80)}" twice`);
    }
    seen.add(key);
    if (fields.length === mostFields) {
      throw new BadPackage(`The control file has more than ${mostFields} fields`);
    }
    fields.push({ name, value: line.slice(colon + 1).trim() });
  }
  return fields;
}

/** The value of a field, whose name is the same in any case; null when it is not there or has nothing in it. */
export function fieldOf(fields: readonly ControlField[], name: string): string | null {
  const value = fields.find((field) => field.name.toLowerCase() === name.toLowerCase())?.value ?? "";
  return value === "" ? null : value;
}

/** The fields as a paragraph, without a line feed at its end. */
export function writeParagraph(fields: readonly ControlField[]): string {
  return fields
    .map(({ name, value }) => (value === "" || value.startsWith("\n") ? `${name}:${value}` : `${name}: ${value}`))
    .join("\n");
}
