import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
  Reference,
} from "../../src/api/openapi/types.ts";
import { readings, type Reading } from "./readings.ts";
import type { SchemaComparer } from "./compare-schemas.ts";
import type { ContractOperation, Promised } from "./tables.ts";
import { parseType, showType, typeDifference, typeOfSchema, type Direction, type Type } from "./type-notation.ts";

export type Source = "specification" | "family";

export interface OperationComparison {
  operation: ContractOperation;
  state: "equal" | "differs" | "missing";
  differences: string[];
  /** What ours has beyond the promise; allowed. */
  extra: string[];
}

/** Names of parameters in a path say nothing on the wire. */
function pathKey(method: string, path: string): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, "{}")}`;
}

const readingAt = new Map<string, Reading>(readings.map((reading) => [reading.at, reading]));

/** Compares operations of the contract with our document, one source at a time. */
export class OperationComparer {
  private readonly ours = new Map<string, { path: string; operation: OpenApiOperation }>();

  constructor(
    private readonly document: OpenApiDocument,
    private readonly schemas: SchemaComparer,
  ) {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        this.ours.set(pathKey(method.toUpperCase(), path), { path, operation });
      }
    }
  }

  /** Operations of ours that the contract does not know. */
  unknown(operations: readonly ContractOperation[]): string[] {
    const known = new Set(operations.map(({ method, path }) => pathKey(method, path)));
    return [...this.ours.keys()].filter((key) => !known.has(key));
  }

  /** Null when the source does not know the operation. */
  compare(operation: ContractOperation, source: Source): OperationComparison | null {
    const stated = operation[source];
    // Where the specification gives a name alone, the family's facts are what was promised.
    const promised = stated === "named" ? operation.family : stated;
    if (promised === undefined) {
      return null;
    }
    const key = pathKey(operation.method, operation.path);
    const found = this.ours.get(key);
    if (found === undefined) {
      return { operation, state: "missing", differences: [], extra: [] };
    }
    const reading = readingAt.get(key);
    // The specification shows only some payloads; the others are the family's.
    const body = promised.body ?? operation.family?.body;
    const settled = { ...promised, ...(body === undefined ? {} : { body }), ...reading?.promises };
    const parts = [
      reading?.anyId === true ? none : this.compareNames(operation, found.operation, settled),
      this.compareParameters(operation, settled, found),
      reading?.promises.body === null ? none : this.compareBody(settled.body ?? null, found.operation),
      this.compareAnswers(settled, found.operation),
      compareScopes(settled, found.operation),
    ];
    const differences = parts.flatMap((part) => part.differences);
    return {
      operation,
      state: differences.length === 0 ? "equal" : "differs",
      differences,
      extra: parts.flatMap((part) => part.extra),
    };
  }

  /** Where the sources name an operation differently, either name will do. */
  private compareNames(operation: ContractOperation, ours: OpenApiOperation, settled: { id?: string }): Part {
    const { specification } = operation;
    const names = [
      operation.id,
      settled.id,
      specification === undefined || specification === "named" ? undefined : specification.id,
    ].filter((name) => typeof name === "string");
    const differences =
      names.length === 0 || names.includes(ours.operationId)
        ? []
        : [`is named ${ours.operationId}, not ${[...new Set(names)].join(" or ")}`];
    if (operation.id !== null && !ours.tags.includes(operation.tag)) {
      differences.push(`has the tag ${ours.tags.join(", ")}, not ${operation.tag}`);
    }
    return { differences, extra: [] };
  }

  private compareParameters(
    operation: ContractOperation,
    promised: Omit<Promised, "body">,
    ours: { path: string; operation: OpenApiOperation },
  ): Part {
    const differences: string[] = [];
    const parameters = ours.operation.parameters ?? [];
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    const names = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? "");
    for (const name of Object.keys(promised.path ?? {})) {
      const type = inPath[names.indexOf(name)]?.schema.type ?? "absent";
      if (type !== "integer") {
        differences.push(`the path's ${name} is ${type}, not integer`);
      }
    }
    const inQuery = new Map(
      parameters.filter((parameter) => parameter.in === "query").map((parameter) => [parameter.name, parameter]),
    );
    for (const [key, text] of Object.entries(promised.query ?? {})) {
      const name = key.replace(/!$/, "");
      const difference = parameterDifference(inQuery.get(name), parseType(text));
      if (difference !== null) {
        differences.push(`the query's ${name} ${difference}`);
      }
      inQuery.delete(name);
    }
    differences.push(
      ...[...inQuery.values()]
        .filter((parameter) => parameter.required)
        .map(({ name }) => `the query needs ${name}, which the contract does not know`),
    );
    return { differences, extra: [...inQuery.keys()].map((name) => `query ${name}`) };
  }

  private compareBody(promised: string | null, { requestBody }: OpenApiOperation): Part {
    if (promised === null) {
      return requestBody?.required === true
        ? { differences: ["needs a body, which the contract does not know"], extra: [] }
        : { differences: [], extra: requestBody === undefined ? [] : ["a body"] };
    }
    const [[mediaType, content] = []] = Object.entries(requestBody?.content ?? {});
    if (mediaType === undefined || content === undefined) {
      return { differences: [`takes no body, not ${promised}`], extra: [] };
    }
    if (promised === "text" || promised.startsWith("form(")) {
      const wanted = promised === "text" ? "text/plain" : "multipart/form-data";
      return { differences: mediaType === wanted ? [] : [`takes ${mediaType}, not ${wanted}`], extra: [] };
    }
    return {
      differences: this.contentDifferences("the body", parseType(promised), content.schema, "request"),
      extra: [],
    };
  }

  private compareAnswers(promised: Omit<Promised, "body">, operation: OpenApiOperation): Part {
    const differences: string[] = [];
    const extra: string[] = [];
    if (promised.answers !== undefined) {
      for (const [status, text] of Object.entries(promised.answers)) {
        const response = operation.responses[status];
        if (response === undefined) {
          differences.push(`does not answer ${status}`);
          continue;
        }
        const [content] = Object.values(this.resolveResponse(response).content ?? {});
        const type = parseType(text);
        if (type.kind === "empty" || content === undefined) {
          const same = type.kind === "any" || (type.kind === "empty") === (content === undefined);
          differences.push(
            ...(same
              ? []
              : [
                  `${status} answers ${content === undefined ? "nothing" : showType(typeOfSchema(content.schema))}, not ${text}`,
                ]),
          );
        } else {
          differences.push(...this.contentDifferences(String(status), type, content.schema, "answer"));
        }
      }
      const surplus = Object.keys(operation.responses).filter(
        (status) => status.startsWith("2") && promised.answers?.[status] === undefined,
      );
      differences.push(...surplus.map((status) => `answers ${status}, which the contract does not know`));
    }
    for (const status of Object.keys(promised.failures ?? {})) {
      // No operation of ours declares that it fails for no reason of the caller's.
      if (!status.startsWith("5") && operation.responses[status] === undefined) {
        differences.push(`does not declare ${status}`);
      }
    }
    extra.push(
      ...Object.keys(operation.responses).filter(
        (status) => /^[45]/.test(status) && promised.failures?.[status] === undefined,
      ),
    );
    return { differences, extra };
  }

  private resolveResponse(response: OpenApiResponse | Reference): OpenApiResponse {
    if (!("$ref" in response)) {
      return response;
    }
    return (
      this.document.components.responses[response.$ref.slice(response.$ref.lastIndexOf("/") + 1)] ?? { description: "" }
    );
  }

  private contentDifferences(where: string, promised: Type, schema: OpenApiSchema, direction: Direction): string[] {
    const type = this.schemas.resolve(promised);
    const difference = typeDifference(type, typeOfSchema(schema), direction);
    if (difference !== null) {
      return [`${where} ${difference}`];
    }
    const differing = this.schemas.differing(type);
    return differing.length === 0 ? [] : [`${where} holds schemas that differ: ${differing.join(", ")}`];
  }
}

interface Part {
  differences: string[];
  extra: string[];
}

const none: Part = { differences: [], extra: [] };

function parameterDifference(parameter: OpenApiParameter | undefined, type: Type): string | null {
  if (parameter === undefined) {
    return "is missing";
  }
  return typeDifference(type, typeOfSchema(parameter.schema), "request");
}

function compareScopes({ scopes }: Omit<Promised, "body">, operation: OpenApiOperation): Part {
  const ours = operation["x-scopes"].map((scope) => scope.slice(scope.indexOf(":") + 1)).toSorted();
  const same = scopes === undefined || ours.join() === scopes.join();
  return {
    differences: same ? [] : [`a token needs ${ours.join(" and ") || "no scope"}, not ${scopes?.join(" and ")}`],
    extra: [],
  };
}
