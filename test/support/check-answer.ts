import { Compile } from "typebox/schema";
import { apiRoutes } from "../../src/api/index.ts";
import { apiPrefix, describeApi } from "../../src/api/openapi/describe-api.ts";
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse, OpenApiSchema } from "../../src/api/openapi/types.ts";
import { forgeWithoutLimits } from "../contract/product-document.ts";

/** What the server answered to one request of a test. */
export interface ObservedAnswer {
  method: string;
  /** The whole address. */
  url: string;
  status: number;
  /** The caller acts as somebody else. */
  sudo: boolean;
  /** The client has the answer already and says so. */
  conditional: boolean;
  /** Null where there is none. */
  contentType: string | null;
  /** JSON, or text; null for nothing. */
  body: unknown;
}

type JsonSchema = Record<string, unknown>;
type Check = (value: unknown) => string | null;

/** Not declared by each operation, because any request can meet them: OpenAPI's `default` stands for these, and in a test for no others. */
const unusual = new Set([401, 413, 429, 503, 507]);
/** Likewise where the caller acts as somebody else. */
const unusualWithSudo = new Set([403, 404]);

/**
 * What the document cannot say, since it says the same as the specification and the family's, and Swagger 2.0 knows no unions.
 * The operation's description says it.
 */
const alternatives: Readonly<Record<string, (body: unknown, declared: OpenApiSchema) => OpenApiSchema>> = {
  repoGetContents: (body, declared) => (Array.isArray(body) ? directoryOf(declared) : declared),
  repoListStatusesByRef: (body, declared) => (Array.isArray(body) ? statusList : declared),
  repoGetIssueTemplates: (body, declared) => (body === null ? nothing : declared),
};
const statusList: OpenApiSchema = { type: "array", items: { $ref: "#/components/schemas/CommitStatus" } };
const nothing: OpenApiSchema = { nullable: true, enum: [null] } as OpenApiSchema;
const directories = new Map<OpenApiSchema, OpenApiSchema>();

function directoryOf(entry: OpenApiSchema): OpenApiSchema {
  const known = directories.get(entry) ?? { type: "array", items: entry };
  directories.set(entry, known);
  return known;
}

/** OpenAPI 3.0 as JSON Schema. Stricter than the document: a field that it does not name is a fault. */
function toJsonSchema(schema: OpenApiSchema): JsonSchema {
  const { $ref, nullable, properties, items, additionalProperties, allOf, anyOf, format, ...same } = schema;
  if ($ref !== undefined) {
    return { $ref: $ref.slice($ref.lastIndexOf("/") + 1) };
  }
  const plain: JsonSchema = {
    ...same,
    // A number's format is about its width alone.
    ...(format === undefined || format === "int64" ? {} : { format }),
    // Whole seconds: clients parse no fractions.
    ...(format === "date-time" ? { pattern: "T\\d\\d:\\d\\d:\\d\\d(Z|[+-]\\d\\d:\\d\\d)$" } : {}),
    ...(items === undefined ? {} : { items: toJsonSchema(items) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(toJsonSchema) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(toJsonSchema) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, toJsonSchema(property)]),
          ),
          additionalProperties: false,
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "boolean" ? additionalProperties : toJsonSchema(additionalProperties),
        }),
  };
  return nullable === true ? { anyOf: [plain, { type: "null" }] } : plain;
}

interface Pattern {
  method: string;
  segments: readonly string[];
  /** The last parameter takes all that follows. */
  takesRest: boolean;
  operation: OpenApiOperation;
}

/** `{name}.{suffix}`, which is one parameter to the router: what ends in `.diff` or `.patch`. */
function isSuffixed(segment: string): boolean {
  return segment.includes("}.{");
}

/** Fixed text before a parameter, a parameter before all that follows: as the router chooses. Null when it does not fit. */
function rank({ segments, takesRest }: Pattern, path: readonly string[]): string | null {
  if (takesRest ? path.length < segments.length : path.length !== segments.length) {
    return null;
  }
  const last = segments.length - 1;
  const ranks = segments.map((segment, at) => {
    if (isSuffixed(segment)) {
      return /\.(?:diff|patch)$/.test(path[at]!) ? "0" : "x";
    }
    return segment === path[at] ? "0" : !segment.startsWith("{") ? "x" : takesRest && at === last ? "2" : "1";
  });
  return ranks.includes("x") ? null : ranks.join("");
}

class AnswerChecker {
  private readonly patterns: Pattern[] = [];
  private readonly schemas: Record<string, JsonSchema>;
  private readonly compiled = new Map<OpenApiSchema, Check>();

  private constructor(
    private readonly document: OpenApiDocument,
    spread: ReadonlySet<string>,
  ) {
    this.schemas = Object.fromEntries(
      Object.entries(document.components.schemas).map(([name, schema]) => [name, toJsonSchema(schema)]),
    );
    for (const [path, operations] of Object.entries(document.paths)) {
      const segments = path.slice(1).split("/");
      for (const [method, operation] of Object.entries(operations)) {
        this.patterns.push({ method: method.toUpperCase(), segments, takesRest: false, operation });
        if (spread.has(`${method.toUpperCase()} ${segments.slice(0, -1).join("/")}`)) {
          this.patterns.push({ method: method.toUpperCase(), segments, takesRest: true, operation });
        }
      }
    }
  }

  static create(): AnswerChecker {
    const { routes } = apiRoutes(forgeWithoutLimits());
    const spread = routes
      .filter(({ path }) => path.endsWith("/*"))
      .map(({ method, path }) => `${method} ${path.slice(apiPrefix.length + 1, -2).replace(/:([^/]+)/g, "{$1}")}`);
    return new AnswerChecker(describeApi(routes), new Set(spread));
  }

  check(answer: ObservedAnswer): void {
    const { pathname } = new URL(answer.url);
    const path = pathname
      .slice(apiPrefix.length + 1)
      .replace(/\/$/, "")
      .split("/");
    const operation = this.find(answer.method, path);
    const fault = operation === null ? null : this.faultOf(operation, answer);
    if (fault !== null) {
      throw new Error(`${answer.method} ${pathname} (${operation?.operationId}) answered ${answer.status}, ${fault}`);
    }
  }

  private find(method: string, path: readonly string[]): OpenApiOperation | null {
    let best: { rank: string; operation: OpenApiOperation } | null = null;
    for (const pattern of this.patterns) {
      const found = pattern.method === method ? rank(pattern, path) : null;
      if (found !== null && (best === null || found < best.rank)) {
        best = { rank: found, operation: pattern.operation };
      }
    }
    return best?.operation ?? null;
  }

  private faultOf(operation: OpenApiOperation, answer: ObservedAnswer): string | null {
    if (answer.status === 304) {
      return answer.conditional && answer.method === "GET" && answer.body === null ? null : "which was not asked for";
    }
    const response = this.responseFor(operation, answer);
    if (response === null) {
      return "which it does not declare";
    }
    const [[mediaType, declared] = []] = Object.entries(response.content ?? {});
    if (mediaType === undefined || declared === undefined) {
      return answer.body === null ? null : "for which it declares no body";
    }
    if (mediaType !== "application/json") {
      return null;
    }
    const isJson = answer.contentType?.startsWith("application/json") === true;
    const schema =
      (answer.status === 200 ? alternatives[operation.operationId]?.(answer.body, declared.schema) : undefined) ??
      declared.schema;
    const reason = isJson ? this.compile(schema)(answer.body) : `not JSON but ${answer.contentType}`;
    return reason === null ? null : `which is not what it declares: ${reason}`;
  }

  private responseFor({ responses }: OpenApiOperation, { status, sudo }: ObservedAnswer): OpenApiResponse | null {
    const isUnusual = unusual.has(status) || (sudo && unusualWithSudo.has(status));
    const response = responses[status] ?? (isUnusual ? responses["default"] : undefined);
    if (response === undefined || !("$ref" in response)) {
      return response ?? null;
    }
    return this.document.components.responses[response.$ref.slice(response.$ref.lastIndexOf("/") + 1)] ?? null;
  }

  private compile(schema: OpenApiSchema): Check {
    const known = this.compiled.get(schema);
    if (known !== undefined) {
      return known;
    }
    const validator = Compile(this.schemas, toJsonSchema(schema));
    const check: Check = (value) => {
      if (validator.Check(value)) {
        return null;
      }
      const [, errors] = validator.Errors(value);
      return errors.map(({ instancePath, message }) => `${instancePath || "the body"} ${message}`).join("; ");
    };
    this.compiled.set(schema, check);
    return check;
  }
}

const key = Symbol.for("stithy.answer-checker");
const shared = globalThis as { [key]?: AnswerChecker };

/**
 * Throws when an operation answers otherwise than the OpenAPI document says: with a status that it does not declare, or
 * a body that does not fit its schema. Addresses of no operation are not its matter.
 */
export function checkAnswer(answer: ObservedAnswer): void {
  (shared[key] ??= AnswerChecker.create()).check(answer);
}
