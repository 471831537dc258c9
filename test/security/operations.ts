import { contractOperations } from "../contract/tables.ts";
import { readings } from "../contract/readings.ts";
import { productDocument } from "../contract/product-document.ts";
import { classOf, type Class } from "./expectations.ts";
import { givesAccess } from "./gives-access.ts";

/** An operation of the API with what is expected of it. */
export interface Operation {
  method: string;
  /** With its parameters in braces. */
  path: string;
  kind: Class;
  /** What it is done to. */
  on: "instance" | "repository" | "organization" | "team" | "user";
  hasBody: boolean;
  /** A question with yes or no: 404 without a body is an answer. */
  isQuestion: boolean;
  /** Categories of scopes that a token needs, as the contract says; what the contract does not know says it itself. */
  scopes: readonly string[];
}

const level = (method: string) => (method === "GET" ? "read" : "write");

const withoutNames = (text: string) => text.replaceAll(/\{[^}]*\}/g, "{}").replace(/\/$/, "");
const contract = new Map(
  contractOperations.map((operation) => [withoutNames(`${operation.method} ${operation.path}`), operation]),
);
const settled = new Map(
  readings.flatMap(({ at, promises }) => (promises.scopes === undefined ? [] : [[at, promises.scopes] as const])),
);
function targetOf(kind: Class, path: string): Operation["on"] {
  const [verb = ""] = kind.split(" ");
  if (["read", "write", "admin", "owner", "participate"].includes(verb)) {
    return "repository";
  }
  if (path.startsWith("/packages/{owner}")) {
    return "organization";
  }
  if (verb === "see-team" || verb === "manage-team") {
    return "team";
  }
  return ["self", "anyone", "administer-site"].includes(verb)
    ? "instance"
    : path.includes("{org}")
      ? "organization"
      : "user";
}

/** Every operation that the server has, and the names of those without a place in the expectations, and of those that are gone. */
export function listOperations(): { operations: Operation[]; unclassified: string[]; gone: string[] } {
  const operations: Operation[] = [];
  const unclassified: string[] = [];
  const seen = new Set<string>();
  for (const [fullPath, methods] of Object.entries(productDocument().paths)) {
    for (const [lowerMethod, described] of Object.entries(methods)) {
      const [method, path] = [lowerMethod.toUpperCase(), fullPath.replace(/^\/api\/v1/, "")];
      const name = `${method} ${path}`;
      const kind = classOf.get(name);
      if (kind === undefined) {
        unclassified.push(name);
        continue;
      }
      seen.add(name);
      const promised = settled.get(withoutNames(name)) ?? contract.get(withoutNames(name))?.family?.scopes;
      const own = (described["x-scopes"] ?? []).map((scope) => scope.slice(scope.indexOf(":") + 1));
      operations.push({
        method,
        path,
        kind,
        on: targetOf(kind, path),
        hasBody: described.requestBody !== undefined,
        isQuestion:
          described.responses[404] !== undefined &&
          !("$ref" in described.responses[404]) &&
          described.responses[404].content === undefined,
        scopes: (promised ?? own).map((category) => `${level(method)}:${category}`),
      });
    }
  }
  return { operations, unclassified, gone: [...classOf.keys()].filter((name) => !seen.has(name)) };
}

/** The address with these values for its parameters, and something that does not exist for the others. */
export function fill({ path }: Operation, values: Record<string, string>): string {
  return path.replaceAll(/\{([^}]*)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? absent[name] ?? "none-such"),
  );
}

/** Whether nothing but the target itself is named, so that the operation does something to it. */
export function namesOnly({ path }: Operation, values: Record<string, string>): boolean {
  return [...path.matchAll(/\{([^}]*)\}/g)].every(([, name]) => values[name ?? ""] !== undefined);
}

const absent: Record<string, string> = {
  id: "999999999",
  sha: "0123456789abcdef0123456789abcdef01234567",
  archive: "none-such.zip",
  basehead: "none-such...none-such-either",
  diffType: "diff",
  // Any name that fits would be given to the repository.
  topic: "-none-such",
};

/** Whether it gives somebody access, which a token for public things does not. */
export function alwaysGivesAccess({ method, path }: Operation): boolean {
  return givesAccess[`${method} ${path}`] !== undefined;
}
