import { t, type TSchema } from "elysia";

const kind = Symbol.for("TypeBox.Kind");

/**
 * An integer and nothing else: Elysia's own `t.Integer` also takes text, and texts such as `0x10`.
 * In a query or path it is written in decimal digits.
 */
export function integer(options: { description?: string; minimum?: number; maximum?: number } = {}) {
  return t.Unsafe<number>({
    type: "integer",
    format: "int64",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    ...options,
    [kind]: "Integer",
  });
}

/** The id of a row. */
export function rowId(description: string) {
  return integer({ description, minimum: 1 });
}

/** An instant in RFC 3339. */
export function dateTime(description?: string) {
  return t.String(description === undefined ? { format: "date-time" } : { format: "date-time", description });
}

export function nullable<Schema extends TSchema>(schema: Schema) {
  return t.Union([schema, t.Null()], { nullable: true });
}

/** Marks a list of a body that `bodyReader` leaves empty texts and nulls out of; no document shows it. */
export const sparse = Symbol("sparse");

/**
 * A list of names or ids in a body. Clients of the family send empty names and nulls in it, which count for nothing. Not for lists that limit a
 * credential: there, a list without an entry may mean everything.
 */
export function sparseList<Item extends TSchema>(
  items: Item,
  description: string,
  options: { maxItems?: number } = {},
) {
  return t.Array(items, {
    ...options,
    description: `${description}. Empty names and nulls are left out`,
    [sparse]: true,
  });
}

/** A text that is one of these. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values, description?: string) {
  // Elysia gives every enum a default, which would be a promise in the document that nothing keeps.
  const { default: _, ...schema } = t.UnionEnum(values);
  return t.Unsafe<Values[number]>(description === undefined ? schema : { ...schema, description });
}

/** Marks a parameter whose text counts in any case; no document shows it. */
export const anyCase = Symbol("any case");

/** A word of a query in lower case, which callers may write in any. */
export function inAnyCase<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [anyCase]: true };
}

/** The time of a search grows faster than the length of its text. No name or address that it could find is longer. */
const maxSearchLength = 255;

/** The parameter for the search text of a list. */
export function searchText(description: string) {
  return t.Optional(t.String({ maxLength: maxSearchLength, description }));
}

/** Query parameters of every list. */
export const pagingQuery = {
  page: t.Optional(integer({ description: "Number of the page, from 1" })),
  limit: t.Optional(integer({ description: "Size of a page, at most 50" })),
};

/** Every error's body. */
export const ErrorBody = t.Object(
  {
    message: t.String({ description: "What could not be done, and why" }),
    url: t.String({ description: "Address of the API's documentation" }),
  },
  { $id: "APIError", title: "APIError" },
);
