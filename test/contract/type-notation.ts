import type { OpenApiSchema } from "../../src/api/openapi/types.ts";

/*
 * The tables write types shortly: string, date-time, integer, number, boolean, object, any, a schema's name; [] for lists,
 * map<…> for objects with free keys, {a|b} for the values of a text, a final ? for what may be null.
 * Answers know two more: file (bytes or a text of any kind) and empty (no body).
 */

export interface Type {
  kind:
    | "string"
    | "date-time"
    | "integer"
    | "number"
    | "boolean"
    | "object"
    | "any"
    | "file"
    | "empty"
    | "named"
    | "list"
    | "map";
  nullable: boolean;
  /** Of a named one. */
  name?: string;
  /** Of lists and maps. */
  of?: Type;
  /** Of texts. */
  values?: readonly string[];
}

const plain = new Set<string>([
  "string",
  "date-time",
  "integer",
  "number",
  "boolean",
  "object",
  "any",
  "file",
  "empty",
]);

export function parseType(text: string): Type {
  if (text.endsWith("?")) {
    return { ...parseType(text.slice(0, -1)), nullable: true };
  }
  if (text.endsWith("[]")) {
    return { kind: "list", nullable: false, of: parseType(text.slice(0, -2)) };
  }
  const map = /^map<(.*)>$/.exec(text);
  if (map?.[1] !== undefined) {
    return { kind: "map", nullable: false, of: parseType(map[1].startsWith("int") ? "integer" : map[1]) };
  }
  const values = /^(?:string|integer)\{(.*)\}$/.exec(text);
  if (values?.[1] !== undefined) {
    return { kind: text.startsWith("string") ? "string" : "integer", nullable: false, values: values[1].split("|") };
  }
  return plain.has(text)
    ? { kind: text as Type["kind"], nullable: false }
    : { kind: "named", nullable: false, name: text };
}

const wildcard: Type = { kind: "any", nullable: false };

/** The type of a schema in our document; a reference is a name, whatever stands behind it. */
export function typeOfSchema(schema: OpenApiSchema): Type {
  const nullable = schema.nullable === true;
  const [only] = schema.allOf ?? [];
  if (schema.$ref === undefined && only !== undefined) {
    return { ...typeOfSchema(only), nullable };
  }
  if (schema.$ref !== undefined) {
    return { kind: "named", nullable, name: schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1) };
  }
  switch (schema.type) {
    case "array":
      return { kind: "list", nullable, of: schema.items === undefined ? wildcard : typeOfSchema(schema.items) };
    case "object":
      return typeof schema.additionalProperties === "object" && schema.properties === undefined
        ? { kind: "map", nullable, of: typeOfSchema(schema.additionalProperties) }
        : { kind: "object", nullable };
    case "string":
      if (schema.format === "date-time") {
        return { kind: "date-time", nullable };
      }
      return schema.format === "binary"
        ? { kind: "file", nullable }
        : { kind: "string", nullable, ...(schema.enum === undefined ? {} : { values: schema.enum.map(String) }) };
    case "integer":
    case "number":
    case "boolean":
      return { kind: schema.type, nullable };
    default:
      return { ...wildcard, nullable };
  }
}

export function showType({ kind, nullable, name, of, values }: Type): string {
  const inner = of === undefined ? "" : showType(of);
  const text =
    kind === "named"
      ? (name ?? "")
      : kind === "list"
        ? `${inner}[]`
        : kind === "map"
          ? `map<${inner}>`
          : values === undefined
            ? kind
            : `${kind}{${values.join("|")}}`;
  return nullable ? `${text}?` : text;
}

/** What is sent to us may take more values than promised; what we send may not. */
export type Direction = "request" | "answer";

/** Says how ours differs from the contract's; null when it holds what the contract promises. Names are compared as such. */
export function typeDifference(contract: Type, ours: Type, direction: Direction): string | null {
  const differs = `is ${showType(ours)}, not ${showType(contract)}`;
  if (direction === "answer" && ours.nullable && !contract.nullable && contract.kind !== "any") {
    return differs;
  }
  switch (contract.kind) {
    case "any":
      return null;
    case "object":
      return ["object", "map", "named", "any"].includes(ours.kind) ? null : differs;
    case "file":
      return ours.kind === "file" || ours.kind === "string" ? null : differs;
    case "named":
      return ours.kind === "named" && ours.name === contract.name ? null : differs;
    case "list":
    case "map": {
      const inner =
        ours.kind === contract.kind && contract.of !== undefined && ours.of !== undefined
          ? typeDifference(contract.of, ours.of, direction)
          : differs;
      return inner === null ? null : differs;
    }
    case "string":
      return ours.kind === "string" || (ours.kind === "date-time" && contract.values === undefined)
        ? valuesDifference(contract, ours, direction)
        : differs;
    default:
      return ours.kind === contract.kind ? null : differs;
  }
}

function valuesDifference(contract: Type, ours: Type, direction: Direction): string | null {
  if (contract.values === undefined) {
    return null;
  }
  const [promised, given] = [new Set(contract.values), new Set(ours.values ?? [])];
  if (ours.values === undefined) {
    return `does not say its values (${contract.values.join(", ")})`;
  }
  const absent = [...promised].filter((value) => !given.has(value));
  const surplus = direction === "answer" ? [...given].filter((value) => !promised.has(value)) : [];
  return absent.length + surplus.length === 0
    ? null
    : `has other values: ${[...absent.map((value) => `without "${value}"`), ...surplus.map((value) => `with "${value}"`)].join(", ")}`;
}
