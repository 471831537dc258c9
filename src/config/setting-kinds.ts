import { Type, type TProperties } from "typebox";

/** A setting that is on or off. */
export const flag = (initial: boolean, description: string) => Type.Boolean({ default: initial, description });

/** A whole number with its bounds and its unit; an empty unit: it has none. */
export const count = (initial: number, minimum: number, maximum: number, unit: string, description: string) =>
  Type.Integer({ default: initial, minimum, maximum, unit, description });

/** Any text. */
export const text = (initial: string, description: string) => Type.String({ default: initial, description });

/** Several texts. */
export const list = (initial: string[], description: string) =>
  Type.Array(Type.String(), { default: initial, description });

/** The settings of a section of `stithy.toml`. */
export const section = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { default: {}, additionalProperties: false });

export const MiB = 1024 * 1024;
