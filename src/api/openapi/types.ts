/** The parts of OpenAPI 3.0 that our document uses (https://spec.openapis.org/oas/v3.0.3). */

export interface OpenApiSchema {
  $ref?: string;
  type?: string;
  format?: string;
  title?: string;
  description?: string;
  nullable?: boolean;
  enum?: readonly unknown[];
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  pattern?: string;
  deprecated?: boolean;
  required?: readonly string[];
  items?: OpenApiSchema;
  properties?: Record<string, OpenApiSchema>;
  additionalProperties?: boolean | OpenApiSchema;
  allOf?: OpenApiSchema[];
  anyOf?: OpenApiSchema[];
}

export interface OpenApiParameter {
  name: string;
  in: "path" | "query";
  description?: string;
  deprecated?: boolean;
  required: boolean;
  schema: OpenApiSchema;
}

export type OpenApiContent = Record<string, { schema: OpenApiSchema }>;

export interface OpenApiHeader {
  description: string;
  schema: OpenApiSchema;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, OpenApiHeader>;
  content?: OpenApiContent;
}

export interface Reference {
  $ref: string;
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: OpenApiParameter[];
  requestBody?: { required: boolean; content: OpenApiContent };
  responses: Record<string, OpenApiResponse | Reference>;
  security: Record<string, string[]>[];
  /** Scopes that a token needs, all of them, as `level:category`. */
  "x-scopes": string[];
}

export type SecurityScheme =
  | { type: "apiKey"; in: "header" | "query"; name: string; description: string }
  | { type: "http"; scheme: "basic" | "bearer"; description: string };

export type OpenApiMethod = "get" | "post" | "put" | "patch" | "delete";

export interface OpenApiDocument {
  openapi: "3.0.3";
  info: { title: string; version: string; description: string; license: { name: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<OpenApiMethod, OpenApiOperation>>>;
  components: {
    schemas: Record<string, OpenApiSchema>;
    responses: Record<string, OpenApiResponse>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}
