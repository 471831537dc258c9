import { operationsOf } from "../common/by-suffix.ts";
import { describeOperation, describeResponse } from "./describe-operation.ts";
import { sharedResponses } from "./guard-responses.ts";
import { SchemaCollector } from "./schema-collector.ts";
import { securitySchemes } from "./security.ts";
import { tagDescriptions } from "./tags.ts";
import type { OpenApiDocument, OpenApiMethod, OpenApiOperation } from "./types.ts";

/** Where every operation stands; paths of the document are relative to it. */
export const apiPrefix = "/api/v1";

/** Version of the interface, as the specification numbers it; the server's own is another (`/version`). */
const interfaceVersion = "1.1.1";

const about = `The API of a Stithy server.

Errors are JSON with a \`message\` and the address of this page. Lists take \`page\` (from 1) and \`limit\` (at most 50) and answer with the headers \`X-Total-Count\` and \`Link\`.
Reads carry an \`ETag\` and answer \`If-None-Match\` with 304. What the caller may not see answers exactly like what does not exist.`;

const methods: Readonly<Record<string, OpenApiMethod>> = {
  GET: "get",
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "delete",
};

/** The part of a route of Elysia that is needed. */
export interface Route {
  method: string;
  path: string;
  handler: unknown;
}

/** Elysia's `/repos/:owner/*` as `/repos/{owner}/{filepath}`. */
function toTemplate(path: string): string {
  return (
    path
      .slice(apiPrefix.length)
      .replace(/:(\w+)/g, "{$1}")
      .replace(/\*$/, "{filepath}") || "/"
  );
}

/**
 * The OpenAPI 3.0 document of all routes that were declared with `endpoint`, sorted by path. `basePath` is the path
 * before /api/v1 in the server's public address, usually empty. Throws AmbiguousSchemaName.
 */
export function describeApi(routes: readonly Route[], basePath = ""): OpenApiDocument {
  const schemas = new SchemaCollector();
  const found: { path: string; method: OpenApiMethod; operation: OpenApiOperation }[] = [];
  for (const route of routes) {
    const method = methods[route.method];
    if (method === undefined || !route.path.startsWith(apiPrefix)) {
      continue;
    }
    for (const { path: at, spec } of operationsOf(route.handler, route.path)) {
      const path = toTemplate(at);
      found.push({ path, method, operation: describeOperation(spec, method, path, schemas) });
    }
  }
  const order = Object.values(methods);
  found.sort((a, b) =>
    a.path === b.path ? order.indexOf(a.method) - order.indexOf(b.method) : a.path < b.path ? -1 : 1,
  );
  const paths: OpenApiDocument["paths"] = {};
  for (const { path, method, operation } of found) {
    (paths[path] ??= {})[method] = operation;
  }
  const tags = [...new Set(found.flatMap(({ operation }) => operation.tags))].sort();
  const responses = Object.fromEntries(
    Object.entries(sharedResponses).map(([name, response]) => [name, describeResponse(response, schemas)]),
  );
  return {
    openapi: "3.0.3",
    info: { title: "Stithy API", version: interfaceVersion, description: about, license: { name: "MIT" } },
    servers: [{ url: `${basePath}${apiPrefix}` }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? "" })),
    paths,
    components: { schemas: schemas.components(), responses, securitySchemes },
  };
}
