import type { OpenApiDocument, OpenApiSchema } from "../../src/api/openapi/types.ts";
import type { ContractSchemas } from "./tables.ts";
import { parseType, typeDifference, typeOfSchema, type Direction, type Type } from "./type-notation.ts";

export interface SchemaComparison {
  /** Of its own fields. */
  differences: string[];
  /** Fields that only ours has. */
  extra: string[];
  /** Names of the schemas in its fields. */
  uses: string[];
}

function nameIn(type: Type): string[] {
  return type.kind === "named" && type.name !== undefined ? [type.name] : type.of === undefined ? [] : nameIn(type.of);
}

/** Payloads are named so in the contract. */
function directionOf(name: string): Direction {
  return /(Options?|Form|Forms)$/.test(name) ? "request" : "answer";
}

/** Compares the contract's schemas with the components of our document, each once, with what they use. */
export class SchemaComparer {
  private readonly compared = new Map<string, SchemaComparison>();

  constructor(
    private readonly document: OpenApiDocument,
    private readonly contract: ContractSchemas,
  ) {}

  /** A named type that only stands for another one, such as a list. */
  resolve(type: Type): Type {
    const target = type.name === undefined ? undefined : this.contract[type.name];
    return typeof target === "string" && this.document.components.schemas[type.name ?? ""] === undefined
      ? this.resolve(parseType(target))
      : type;
  }

  compare(name: string): SchemaComparison {
    const known = this.compared.get(name);
    if (known !== undefined) {
      return known;
    }
    const made = this.compareNow(name);
    this.compared.set(name, made);
    return made;
  }

  /** The schemas that differ, from those that a type names down to the last one they use. */
  differing(type: Type): string[] {
    const seen = new Set(nameIn(type));
    for (const name of seen) {
      for (const used of this.compare(name).uses) {
        seen.add(used);
      }
    }
    return [...seen].filter((name) => this.compare(name).differences.length > 0);
  }

  /** Everything that was compared and differs. */
  report(): [name: string, comparison: SchemaComparison][] {
    return [...this.compared]
      .filter(([, { differences, extra }]) => differences.length + extra.length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  private compareNow(name: string): SchemaComparison {
    const fields = this.contract[name];
    const ours = this.document.components.schemas[name];
    if (fields === undefined) {
      return { differences: [], extra: [], uses: [] };
    }
    if (ours === undefined) {
      return { differences: ["is not in our document"], extra: [], uses: [] };
    }
    if (typeof fields === "string") {
      const difference = typeDifference(this.resolve(parseType(fields)), typeOfSchema(ours), directionOf(name));
      return { differences: difference === null ? [] : [difference], extra: [], uses: nameIn(parseType(fields)) };
    }
    return this.compareFields(name, fields, ours);
  }

  private compareFields(name: string, fields: Record<string, string>, ours: OpenApiSchema): SchemaComparison {
    const direction = directionOf(name);
    const properties = ours.properties ?? {};
    const required = new Set(ours.required ?? []);
    const differences: string[] = [];
    const uses: string[] = [];
    const promised = new Set<string>();
    for (const [key, text] of Object.entries(fields)) {
      const field = key.replace(/!$/, "");
      promised.add(field);
      const type = this.resolve(parseType(text));
      uses.push(...nameIn(type));
      const property = properties[field];
      const difference =
        property === undefined ? "is missing" : typeDifference(type, typeOfSchema(property), direction);
      if (difference !== null) {
        differences.push(`${field} ${difference}`);
      } else if (direction === "request" && required.has(field) !== key.endsWith("!")) {
        differences.push(
          required.has(field) ? `${field} is required and should not be` : `${field} is not required and should be`,
        );
      }
    }
    const extra = Object.keys(properties).filter((field) => !promised.has(field));
    if (direction === "request") {
      differences.push(
        ...extra
          .filter((field) => required.has(field))
          .map((field) => `${field} is required and the contract does not know it`),
      );
    }
    return { differences, extra, uses };
  }
}
