import type { TSchema } from "elysia";
import { scopesOf, type DeclaredResponse, type EndpointSpec } from "../common/endpoint.ts";
import { unusual } from "../common/responses.ts";
import { guardResponses, sharedResponses } from "./guard-responses.ts";
import type { SchemaCollector } from "./schema-collector.ts";
import { securityFor } from "./security.ts";
import type {
  OpenApiContent,
  OpenApiHeader,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from "./types.ts";

const sharedNames = new Map(Object.entries(sharedResponses).map(([name, response]) => [response, name]));

/** Headers of every paged list (src/api/common/paging.ts). */
const pagingHeaders: Record<string, OpenApiHeader> = {
  "X-Total-Count": { description: "How many there are on all pages", schema: { type: "integer", format: "int64" } },
  Link: { description: "Addresses of the first, previous, next and last page (RFC 8288)", schema: { type: "string" } },
};

/** The names in braces of a path in OpenAPI's form. */
function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? "");
}

function parameter(
  name: string,
  place: "path" | "query",
  required: boolean,
  { description, deprecated, ...schema }: OpenApiSchema,
): OpenApiParameter {
  const about = {
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
  return { name, in: place, ...about, required, schema };
}

function parametersOf(spec: EndpointSpec, path: string, schemas: SchemaCollector): OpenApiParameter[] {
  const inPath = pathParameters(path).map((name) => {
    const declared: TSchema | undefined =
      spec.params?.properties[name] ?? (name === "filepath" ? spec.params?.properties["*"] : undefined);
    return parameter(name, "path", true, declared === undefined ? { type: "string" } : schemas.convert(declared));
  });
  const required = new Set<string>(spec.query?.required ?? []);
  const inQuery = Object.entries<TSchema>(spec.query?.properties ?? {}).map(([name, declared]) =>
    parameter(name, "query", required.has(name), schemas.convert(declared)),
  );
  return [...inPath, ...inQuery];
}

function contentOf({ schema, contentType }: DeclaredResponse, schemas: SchemaCollector): OpenApiContent | undefined {
  if (schema !== undefined) {
    return { [contentType ?? "application/json"]: { schema: schemas.convert(schema) } };
  }
  if (contentType === undefined) {
    return undefined;
  }
  return {
    [contentType]: {
      schema: contentType.startsWith("text/") ? { type: "string" } : { type: "string", format: "binary" },
    },
  };
}

/** A response in OpenAPI's form. */
export function describeResponse(
  declared: DeclaredResponse,
  schemas: SchemaCollector,
  headers?: Record<string, OpenApiHeader>,
): OpenApiResponse {
  const content = contentOf(declared, schemas);
  return {
    description: declared.description,
    ...(headers === undefined ? {} : { headers }),
    ...(content === undefined ? {} : { content }),
  };
}

function isPaged(spec: EndpointSpec): boolean {
  return spec.query?.properties["page"] !== undefined && spec.query.properties["limit"] !== undefined;
}

function responsesOf(
  spec: EndpointSpec,
  method: OpenApiMethod,
  schemas: SchemaCollector,
): Record<string, OpenApiResponse | Reference> {
  const declared = Object.entries<DeclaredResponse>({
    ...guardResponses(spec, method),
    ...spec.responses,
    default: unusual,
  });
  return Object.fromEntries(
    declared.map(([status, response]) => {
      const shared = sharedNames.get(response);
      return [
        status,
        shared === undefined
          ? describeResponse(response, schemas, status === "200" && isPaged(spec) ? pagingHeaders : undefined)
          : { $ref: `#/components/responses/${shared}` },
      ];
    }),
  );
}

function bodyOf(spec: EndpointSpec, schemas: SchemaCollector): OpenApiOperation["requestBody"] {
  if (spec.upload !== undefined) {
    const { form, raw } = spec.upload;
    return {
      required: true,
      content: {
        "multipart/form-data": { schema: schemas.convert(form) },
        ...(raw ? { "application/octet-stream": { schema: { type: "string", format: "binary" } } } : {}),
      },
    };
  }
  if (spec.body === undefined) {
    return undefined;
  }
  if (spec.body === "text") {
    return { required: true, content: { "text/plain": { schema: { type: "string" } } } };
  }
  const { required } = spec.body as { required?: readonly string[] };
  return {
    required: required !== undefined && required.length > 0,
    content: { "application/json": { schema: schemas.convert(spec.body) } },
  };
}

/** One operation of the document from what its route declares. `path` is in OpenAPI's form. */
export function describeOperation(
  spec: EndpointSpec,
  method: OpenApiMethod,
  path: string,
  schemas: SchemaCollector,
): OpenApiOperation {
  const level = method === "get" ? "read" : "write";
  const scopes = scopesOf(spec).map((category) => `${level}:${category}`);
  const needs =
    scopes.length === 0
      ? ""
      : `A token needs the scope${scopes.length === 1 ? "" : "s"} ${scopes.map((scope) => `\`${scope}\``).join(" and ")}.`;
  const description = [spec.description ?? "", needs].filter((part) => part !== "").join("\n\n");
  const parameters = parametersOf(spec, path, schemas);
  const requestBody = bodyOf(spec, schemas);
  return {
    operationId: spec.operationId,
    tags: [spec.tag],
    summary: spec.summary,
    ...(description === "" ? {} : { description }),
    ...(spec.deprecated === true ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(spec, method, schemas),
    security: securityFor(spec),
    "x-scopes": scopes,
  };
}
