import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
  SecurityScheme,
} from "./types.ts";

/*
 * Swagger 2.0 (https://swagger.io/specification/v2/), which the code generators of the family's clients read.
 * It has no null, no unions and one media type list an operation; what it cannot say is left open, never said wrongly.
 */

type Json = Record<string, unknown>;

export interface Swagger2Document {
  swagger: "2.0";
  info: OpenApiDocument["info"];
  basePath: string;
  schemes: string[];
  consumes: string[];
  produces: string[];
  tags: OpenApiDocument["tags"];
  paths: Record<string, Record<string, Json>>;
  definitions: Record<string, Json>;
  responses: Record<string, Json>;
  securityDefinitions: Record<string, Json>;
}

function convertReference(reference: string): string {
  return reference
    .replace("#/components/schemas/", "#/definitions/")
    .replace("#/components/responses/", "#/responses/");
}

function convertSchema(schema: OpenApiSchema): Json {
  const { $ref, nullable, anyOf, allOf, items, properties, additionalProperties, deprecated: _, ...same } = schema;
  if ($ref !== undefined) {
    return { $ref: convertReference($ref) };
  }
  const [only, ...more] = allOf ?? [];
  // A generator makes a new type of every allOf; beside a plain reference other words are ignored, which does no harm.
  if (only?.$ref !== undefined && more.length === 0) {
    return convertSchema(only);
  }
  return {
    ...same,
    ...(nullable === true ? { "x-nullable": true } : {}),
    ...(anyOf === undefined ? {} : { "x-anyOf": anyOf.map(convertSchema) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(convertSchema) }),
    ...(items === undefined ? {} : { items: convertSchema(items) }),
    ...(properties === undefined ? {} : { properties: convertAll(properties, convertSchema) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "boolean" ? additionalProperties : convertSchema(additionalProperties),
        }),
  };
}

function convertAll<From>(record: Record<string, From>, convert: (value: From) => Json): Record<string, Json> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}

function convertParameter({ name, in: place, description, required, schema }: OpenApiParameter): Json {
  const plain = convertSchema(schema);
  return {
    name,
    in: place,
    ...(description === undefined ? {} : { description }),
    required,
    ...plain,
    type: plain["type"] ?? "string",
    ...(schema.type === "array" ? { collectionFormat: "multi" } : {}),
  };
}

function schemaOf(content: OpenApiContent): OpenApiSchema {
  const [first] = Object.values(content);
  return first?.schema ?? {};
}

function convertResponse(response: OpenApiResponse | Reference): Json {
  if ("$ref" in response) {
    return { $ref: convertReference(response.$ref) };
  }
  const { description, headers, content } = response;
  const schema = content === undefined ? undefined : schemaOf(content);
  const body =
    schema === undefined ? {} : { schema: schema.format === "binary" ? { type: "file" } : convertSchema(schema) };
  const described =
    headers === undefined
      ? {}
      : {
          headers: convertAll(headers, (header) => ({
            description: header.description,
            ...convertSchema(header.schema),
          })),
        };
  return { description, ...body, ...described };
}

/** A field of a form; a file is a type of its own there. */
function convertFormField(name: string, schema: OpenApiSchema): Json {
  const { description, ...plain } = convertSchema(schema);
  const type = schema.format === "binary" ? { type: "file" } : plain;
  return { name, in: "formData", ...(description === undefined ? {} : { description }), required: false, ...type };
}

function mediaTypes(operation: OpenApiOperation): string[] {
  const types = Object.values(operation.responses).flatMap((response) =>
    "content" in response && response.content !== undefined ? Object.keys(response.content) : [],
  );
  return [...new Set([...types, "application/json"])];
}

function convertOperation(operation: OpenApiOperation): Json {
  const {
    operationId,
    tags,
    summary,
    description,
    deprecated,
    parameters = [],
    requestBody,
    responses,
    security,
  } = operation;
  const form = requestBody?.content["multipart/form-data"]?.schema;
  const body =
    requestBody === undefined
      ? []
      : form !== undefined
        ? Object.entries(form.properties ?? {}).map(([name, schema]) => convertFormField(name, schema))
        : [
            {
              name: "body",
              in: "body",
              required: requestBody.required,
              schema: convertSchema(schemaOf(requestBody.content)),
            },
          ];
  const all = [...parameters.map(convertParameter), ...body];
  return {
    operationId,
    tags,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(requestBody === undefined ? {} : { consumes: Object.keys(requestBody.content) }),
    produces: mediaTypes(operation),
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: convertAll(responses, convertResponse),
    security,
    "x-scopes": operation["x-scopes"],
  };
}

/** Swagger 2.0 has no bearer scheme: it is the same header as any other token. */
function convertSecurity(scheme: SecurityScheme): Json {
  if (scheme.type === "apiKey") {
    return { ...scheme };
  }
  const { description } = scheme;
  return scheme.scheme === "basic"
    ? { type: "basic", description }
    : { type: "apiKey", in: "header", name: "Authorization", description: `${description}: \`Bearer sty_…\`` };
}

/** Converts the operations to the older form. */
export function toSwagger2(document: OpenApiDocument): Swagger2Document {
  const { info, servers, tags, paths, components } = document;
  return {
    swagger: "2.0",
    info,
    basePath: servers[0]?.url ?? "/",
    schemes: ["https", "http"],
    consumes: ["application/json", "text/plain"],
    produces: ["application/json", "text/html"],
    tags,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        convertAll(operations as Record<string, OpenApiOperation>, convertOperation),
      ]),
    ),
    definitions: convertAll(components.schemas, convertSchema),
    responses: convertAll(components.responses, convertResponse),
    securityDefinitions: convertAll(components.securitySchemes, convertSecurity),
  };
}
