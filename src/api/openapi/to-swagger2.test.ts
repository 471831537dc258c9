import { expect, test } from "bun:test";
import { toSwagger2 } from "./to-swagger2.ts";
import type { OpenApiDocument, OpenApiOperation } from "./types.ts";

const operation: OpenApiOperation = {
  operationId: "thingEdit",
  tags: ["thing"],
  summary: "Edit a thing",
  parameters: [
    { name: "id", in: "path", required: true, schema: { type: "integer", format: "int64" } },
    {
      name: "labels",
      in: "query",
      required: false,
      description: "Names",
      schema: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    },
  ],
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/EditThing" } } },
  },
  responses: {
    200: {
      description: "The things",
      headers: { "X-Total-Count": { description: "How many", schema: { type: "integer" } } },
      content: { "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Thing" } } } },
    },
    206: {
      description: "Some of its bytes",
      content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
    },
    404: { $ref: "#/components/responses/notFound" },
  },
  security: [{ Basic: [] }],
  "x-scopes": ["write:thing"],
};

const document: OpenApiDocument = {
  openapi: "3.0.3",
  info: { title: "Things", version: "1", description: "", license: { name: "MIT" } },
  servers: [{ url: "/api/v1" }],
  tags: [],
  paths: { "/things/{id}": { patch: operation } },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: {
          parent: { nullable: true, allOf: [{ $ref: "#/components/schemas/Thing" }] },
          at: { type: "string", nullable: true },
        },
      },
      EditThing: { type: "object", properties: { any: { anyOf: [{ type: "string" }, { type: "integer" }] } } },
    },
    responses: { notFound: { description: "No such thing" } },
    securitySchemes: {
      Basic: { type: "http", scheme: "basic", description: "Password" },
      Bearer: { type: "http", scheme: "bearer", description: "Token" },
    },
  },
};

test("an operation, with its parameters, body and answers", () => {
  expect(toSwagger2(document).paths["/things/{id}"]?.["patch"]).toEqual({
    operationId: "thingEdit",
    tags: ["thing"],
    summary: "Edit a thing",
    consumes: ["application/json"],
    produces: ["application/json", "application/octet-stream"],
    parameters: [
      { name: "id", in: "path", required: true, type: "integer", format: "int64" },
      {
        name: "labels",
        in: "query",
        required: false,
        description: "Names",
        type: "array",
        items: { type: "string", enum: ["a", "b"] },
        collectionFormat: "multi",
      },
      { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/EditThing" } },
    ],
    responses: {
      200: {
        description: "The things",
        headers: { "X-Total-Count": { description: "How many", type: "integer" } },
        schema: { type: "array", items: { $ref: "#/definitions/Thing" } },
      },
      206: { description: "Some of its bytes", schema: { type: "file" } },
      404: { $ref: "#/responses/notFound" },
    },
    security: [{ Basic: [] }],
    "x-scopes": ["write:thing"],
  });
});

test("schemas, responses and security under the names of the older form", () => {
  const { definitions, responses, securityDefinitions, basePath } = toSwagger2(document);
  expect(basePath).toBe("/api/v1");
  expect(definitions["Thing"]).toEqual({
    type: "object",
    properties: { parent: { $ref: "#/definitions/Thing" }, at: { type: "string", "x-nullable": true } },
  });
  expect(definitions["EditThing"]).toEqual({
    type: "object",
    properties: { any: { "x-anyOf": [{ type: "string" }, { type: "integer" }] } },
  });
  expect(responses).toEqual({ notFound: { description: "No such thing" } });
  expect(securityDefinitions["Basic"]).toEqual({ type: "basic", description: "Password" });
  expect(securityDefinitions["Bearer"]).toMatchObject({ type: "apiKey", in: "header", name: "Authorization" });
});
