import { getSchemaValidator, type Static, type TSchema } from "elysia";
import { InvalidInput } from "../../lib/errors.ts";
import { clip, showValue } from "../../lib/show-value.ts";
import { anyCase, sparse } from "./schema.ts";

const options = { dynamic: false, additionalProperties: true, coerce: false, normalize: false } as const;

interface PropertySchema {
  type?: string;
  [anyCase]?: boolean;
  [sparse]?: boolean;
  items?: PropertySchema;
  anyOf?: PropertySchema[];
  enum?: readonly unknown[];
  format?: string;
  properties?: Record<string, PropertySchema>;
}

interface ObjectSchema {
  properties?: Record<string, PropertySchema>;
}

/** Validates a part of a request against a schema. Built once for each route. */
export type Reader<Schema extends TSchema> = (input: unknown) => Static<Schema>;

function describe(path: string, message: string, value: unknown, choices: unknown): string {
  const shown = value === undefined ? "" : `, not ${showValue(value)}`;
  if (Array.isArray(choices)) {
    return `${path} must be one of ${choices.join(", ")}${shown}`;
  }
  return `${path === "" ? "The body" : path} must be valid: ${message.charAt(0).toLowerCase()}${message.slice(1)}${shown}`;
}

/** Compiles the schema at the first request: compiling all of them would be a large part of the server's start. */
function validator<Schema extends TSchema>(schema: Schema): Reader<Schema> {
  // The compiler would note it in the schema, too, but the OpenAPI documents are made from that before.
  if (schema["type"] === "object" && !("additionalProperties" in schema)) {
    Object.assign(schema, { additionalProperties: true });
  }
  let compiled: ReturnType<typeof getSchemaValidator<Schema>> | null = null;
  return (input) => {
    const check = (compiled ??= getSchemaValidator(schema, options));
    if (check.Check(input)) {
      return input as Static<Schema>;
    }
    const first = check.Errors(input).First();
    const field = first?.path.slice(1).replaceAll("/", ".") ?? "";
    if (first?.value === undefined && field !== "") {
      throw new InvalidInput(`${field} is required`, field);
    }
    throw new InvalidInput(
      describe(field, first?.message ?? "it does not fit", first?.value, first?.schema["enum"]),
      field,
    );
  };
}

/** Whether a value counts as absent: null if the schema has no null, or an empty string if the schema is an enum or an e-mail address. */
function isAbsent(value: unknown, schema: PropertySchema | undefined): boolean {
  if (value === null) {
    return schema?.type !== "null" && schema?.anyOf?.some((choice) => choice.type === "null") !== true;
  }
  return value === "" && (schema?.enum?.includes("") === false || schema?.format === "email");
}

/** A value as its schema takes it: an object without the fields that count as absent, a list of `sparseList` without the entries that do. */
function presentValue(value: unknown, schema: PropertySchema): unknown {
  if (schema.properties !== undefined && isPlainObject(value)) {
    return presentFields(value, schema.properties);
  }
  const isSparse = schema[sparse] === true || schema.anyOf?.some((choice) => choice[sparse] === true) === true;
  return isSparse && Array.isArray(value) ? value.filter((item) => item !== null && item !== "") : value;
}

/**
 * Returns the declared fields of an object, without those that count as absent, and does the same in nested objects.
 */
function presentFields(input: object, properties: Record<string, PropertySchema>): Record<string, unknown> {
  // By the schema, not by the body: that can have any number of other keys, which nobody reads.
  const present: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(properties)) {
    const value: unknown = Object.hasOwn(input, key) ? (input as Record<string, unknown>)[key] : undefined;
    if (value !== undefined && !isAbsent(value, property)) {
      present[key] = presentValue(value, property);
    }
  }
  return present;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A reader of JSON bodies. A field that is null where its schema has no null counts as absent, and so does an empty text
 * in place of a word or an e-mail address: clients of the family send these for what they leave out. Throws InvalidInput naming the field.
 */
export function bodyReader<Schema extends TSchema>(schema: Schema): Reader<Schema> {
  const validate = validator(schema);
  const isObject = (schema as ObjectSchema).properties !== undefined;
  const properties = (schema as ObjectSchema).properties ?? {};
  return (input) => validate(isObject && isPlainObject(input) ? presentFields(input, properties) : input);
}

function readScalar(name: string, text: string, schema: PropertySchema): unknown {
  if (text.includes("\0")) {
    throw new InvalidInput(`${name} contains a NUL character`, name);
  }
  switch (schema.type) {
    case "integer":
      if (!/^-?\d{1,16}$/.test(text)) {
        throw new InvalidInput(`${name} must be an integer, not "${clip(text, 80)}"`, name);
      }
      return Number(text);
    case "boolean":
      if (/^(true|1|yes|on)$/i.test(text) || text === "") {
        return true;
      }
      if (/^(false|0|no|off)$/i.test(text)) {
        return false;
      }
      throw new InvalidInput(`${name} must be true or false, not "${clip(text, 80)}"`, name);
    default:
      return schema[anyCase] === true ? text.toLowerCase() : text;
  }
}

/** The entries of a list, which is given several times or with commas. */
function entriesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",")).filter((entry) => entry !== "");
}

/**
 * A reader of query parameters and path parameters: texts become what the schema says, strictly (decimal integers,
 * true and false; texts of `inAnyCase` in lower case). An empty parameter counts as absent, but for a boolean it means true, as browsers write it.
 * Parameters that are not declared are left out. Throws InvalidInput naming the parameter.
 */
export function textReader<Schema extends TSchema>(
  schema: Schema,
): (get: (name: string) => string[]) => Static<Schema> {
  const validate = validator(schema);
  const properties = Object.entries((schema as ObjectSchema).properties ?? {});
  return (get) => {
    const values: Record<string, unknown> = {};
    for (const [name, schema] of properties) {
      const texts = get(name);
      const [text] = texts;
      if (text === undefined || (text === "" && schema.type !== "boolean")) {
        continue;
      }
      values[name] =
        schema.type === "array"
          ? entriesOf(texts).map((item) => readScalar(name, item, schema.items ?? {}))
          : readScalar(name, text, schema);
    }
    return validate(values);
  };
}
