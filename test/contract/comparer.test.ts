import { describe, expect, test } from "bun:test";
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from "../../src/api/openapi/types.ts";
import { OperationComparer } from "./compare-operations.ts";
import { SchemaComparer } from "./compare-schemas.ts";
import type { ContractOperation, ContractSchemas, Promised } from "./tables.ts";
import { parseType, showType, typeDifference, type Direction } from "./type-notation.ts";

/** The comparison itself: what counts as equal, and what is said about the rest. */

const contract: ContractSchemas = {
  Thing: { id: "integer", name: "string", owner: "Owner?", labels: "string[]?", at: "date-time" },
  Owner: { login: "string" },
  EditThingOption: { "name!": "string", state: "string{open|closed}" },
};

const owner: OpenApiSchema = { type: "object", properties: { login: { type: "string" } } };
const thing: OpenApiSchema = {
  type: "object",
  properties: {
    id: { type: "integer", format: "int64" },
    name: { type: "string" },
    owner: { nullable: true, allOf: [{ $ref: "#/components/schemas/Owner" }] },
    labels: { type: "array", items: { type: "string" } },
    at: { type: "string", format: "date-time" },
    color: { type: "string" },
  },
};
const option: OpenApiSchema = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, state: { type: "string", enum: ["open", "closed", "all"] } },
};

const ours: OpenApiOperation = {
  operationId: "thingEdit",
  tags: ["thing"],
  summary: "",
  parameters: [
    { name: "number", in: "path", required: true, schema: { type: "integer" } },
    { name: "page", in: "query", required: false, schema: { type: "integer" } },
  ],
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/EditThingOption" } } },
  },
  responses: {
    200: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
    404: { description: "" },
    422: { description: "" },
  },
  security: [],
  "x-scopes": ["write:issue"],
};
const promised: Promised = {
  path: { id: "integer" },
  query: { page: "integer" },
  body: "EditThingOption",
  answers: { 200: "Thing" },
  failures: { 404: "notFound", 500: "error" },
  scopes: ["issue"],
};

function documentWith(operation: Partial<OpenApiOperation>, schemas: Record<string, OpenApiSchema>): OpenApiDocument {
  return {
    openapi: "3.0.3",
    info: { title: "", version: "", description: "", license: { name: "" } },
    servers: [],
    tags: [],
    paths: { "/things/{number}": { patch: { ...ours, ...operation } } },
    components: {
      schemas: { Thing: thing, Owner: owner, EditThingOption: option, ...schemas },
      responses: {},
      securitySchemes: {},
    },
  };
}

function compare(
  change: {
    ours?: Partial<OpenApiOperation>;
    schemas?: Record<string, OpenApiSchema>;
    promised?: Promised;
    path?: string;
  } = {},
) {
  const document = documentWith(change.ours ?? {}, change.schemas ?? {});
  const operation: ContractOperation = {
    method: "PATCH",
    path: change.path ?? "/things/{id}",
    id: "thingEdit",
    tag: "thing",
    family: { ...promised, ...change.promised },
  };
  const comparison = new OperationComparer(document, new SchemaComparer(document, contract)).compare(
    operation,
    "family",
  );
  return { state: comparison?.state, differences: comparison?.differences };
}

const differs = (...differences: string[]) => ({ state: "differs" as const, differences });

describe("an operation", () => {
  test("is equal with more failures, more fields and another name for a part of its path", () => {
    expect(compare()).toEqual({ state: "equal", differences: [] });
  });

  test("is missing when no path leads to it", () => {
    expect(compare({ path: "/things/{id}/more" })).toEqual({ state: "missing", differences: [] });
  });

  test.each<[string, Parameters<typeof compare>[0], string]>([
    ["another name", { ours: { operationId: "editThing" } }, "is named editThing, not thingEdit"],
    ["another tag", { ours: { tags: ["other"] } }, "has the tag other, not thing"],
    ["a parameter less", { promised: { query: { page: "integer", q: "string" } } }, "the query's q is missing"],
    [
      "a parameter of another type",
      { promised: { query: { page: "boolean" } } },
      "the query's page is integer, not boolean",
    ],
    [
      "a name where the path has a number",
      {
        ours: { parameters: [{ name: "number", in: "path", required: true, schema: { type: "string" } }] },
        promised: { query: {} },
      },
      "the path's id is string, not integer",
    ],
    ["another payload", { promised: { body: "OtherOption" } }, "the body is EditThingOption, not OtherOption"],
    ["another success", { promised: { answers: { 201: "Thing" } } }, "does not answer 201"],
    ["a list instead of one", { promised: { answers: { 200: "Thing[]" } } }, "200 is Thing, not Thing[]"],
    ["something instead of nothing", { promised: { answers: { 200: "empty" } } }, "200 answers Thing, not empty"],
    ["a failure that is not declared", { promised: { failures: { 409: "error" } } }, "does not declare 409"],
    [
      "other scopes",
      { promised: { scopes: ["issue", "repository"] } },
      "a token needs issue, not issue and repository",
    ],
  ])("differs with %s", (_, change, difference) => {
    expect(compare(change).differences).toContain(difference);
  });

  test("differs with a field less, also deep inside", () => {
    expect(compare({ schemas: { Owner: { type: "object", properties: {} } } })).toEqual(
      differs("200 holds schemas that differ: Owner"),
    );
  });

  test("differs when it requires more of a payload", () => {
    expect(compare({ schemas: { EditThingOption: { ...option, required: ["name", "state"] } } })).toEqual(
      differs("the body holds schemas that differ: EditThingOption"),
    );
  });
});

describe("a type", () => {
  test.each(["string", "date-time?", "Thing[]", "map<string[]>", "string{a|b}", "integer[]?"])(
    "%s is read and written",
    (text) => {
      expect(showType(parseType(text))).toBe(text);
    },
  );

  test.each<[string, string, Direction, boolean]>([
    ["string", "string{a|b}", "answer", true],
    ["string{a|b}", "string", "answer", false],
    ["string{a|b}", "string{a|b|c}", "request", true],
    ["string{a|b}", "string{a|b|c}", "answer", false],
    ["string?", "string", "answer", true],
    ["string", "string?", "answer", false],
    ["string", "string?", "request", true],
    ["string", "date-time", "answer", true],
    ["date-time", "string", "answer", false],
    ["Thing[]?", "Thing[]", "answer", true],
    ["map<integer>", "map<string>", "answer", false],
    ["any", "Thing", "answer", true],
  ])("promised as %s and given as %s in a %s holds: %p", (promise, given, direction, holds) => {
    expect(typeDifference(parseType(promise), parseType(given), direction) === null).toBe(holds);
  });
});
