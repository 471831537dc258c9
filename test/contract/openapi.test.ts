import { describe, expect, test } from "bun:test";
import { toSwagger2 } from "../../src/api/openapi/to-swagger2.ts";
import type { OpenApiOperation } from "../../src/api/openapi/types.ts";
import { partsOf, plain, readParts } from "./openapi-files.ts";
import { productDocument } from "./product-document.ts";

/** The document is reviewed in the files of `openapi/`: run `bun run openapi` after a change, and read the difference. */

const document = productDocument();
const swagger2 = toSwagger2(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every value of `$ref` in a document. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  );
}

function summaries(list: { path: string; method: string; operation: OpenApiOperation }[]): string[] {
  return list.map(
    ({ path, method, operation }) =>
      `${method} ${path} ${operation.operationId} ${Object.keys(operation.responses).join()}`,
  );
}

function resolve(root: unknown, reference: string): unknown {
  return reference
    .slice("#/".length)
    .split("/")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      root,
    );
}

describe("the OpenAPI document", () => {
  test("names each operation once", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.length).toBeGreaterThan(0);
  });

  test("refers only to what it contains", () => {
    const references = referencesIn(document);
    expect(references.filter((reference) => resolve(document, reference) === undefined)).toEqual([]);
    expect(references).toContain("#/components/schemas/User");
  });

  test("describes every tag", () => {
    const described = new Set(document.tags.filter(({ description }) => description !== "").map(({ name }) => name));
    expect(operations.flatMap(({ operation }) => operation.tags).filter((tag) => !described.has(tag))).toEqual([]);
  });

  test("declares the parameters of each path, and the same path only once", () => {
    for (const { path, operation } of operations) {
      const declared = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === "path")
        .map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ""));
    }
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{[^}]+\}/g, "{}"));
    expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([]);
  });

  test("gives every operation an answer, every answer a description, and reads no body", () => {
    for (const { path, method, operation } of operations) {
      const success = Object.keys(operation.responses).filter((status) => /^[23]/.test(status));
      expect({ path, method, answers: success.length > 0 }).toEqual({ path, method, answers: true });
      const empty = Object.entries(operation.responses).filter(
        ([, response]) => !("$ref" in response) && response.description === "",
      );
      expect({ path, method, empty }).toEqual({ path, method, empty: [] });
      expect({ path, method, readsBody: method === "get" && operation.requestBody !== undefined }).toEqual({
        path,
        method,
        readsBody: false,
      });
    }
  });
});

describe("the Swagger 2.0 document", () => {
  const converted = Object.entries(swagger2.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  test("has the same operations with the same statuses", () => {
    expect(summaries(converted as unknown as typeof operations)).toEqual(summaries(operations));
  });

  test("refers only to what it contains", () => {
    const references = referencesIn(swagger2);
    expect(references.filter((reference) => resolve(swagger2, reference) === undefined)).toEqual([]);
    expect(references).toContain("#/definitions/User");
  });

  test("gives parameters a type of their own, or a body a schema", () => {
    for (const { path, operation } of converted) {
      for (const parameter of (operation["parameters"] ?? []) as Record<string, unknown>[]) {
        const typed =
          parameter["in"] === "body"
            ? typeof parameter["schema"] === "object"
            : ["string", "integer", "number", "boolean", "array"].includes(String(parameter["type"])) ||
              (parameter["in"] === "formData" && parameter["type"] === "file");
        expect({ path, name: parameter["name"], typed }).toEqual({ path, name: parameter["name"], typed: true });
      }
    }
  });
});

describe("the reviewed document", () => {
  const parts = partsOf(document);
  const written = readParts();

  test("has a file for each resource and each schema, and no others", () => {
    expect([...written.keys()].sort()).toEqual([...parts.keys()].sort());
  });

  test.each([...parts.keys()])("is right in %s; else run: bun run openapi", (name) => {
    expect(plain(parts.get(name))).toEqual(written.get(name));
  });
});
