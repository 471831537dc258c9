import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What one source says about an operation. A name in `query` that ends in ! is required. Types are written as in type-notation.ts. */
export interface Promised {
  /** Where the specification's name is not the family's. */
  id?: string;
  /** Parameters of the path that are numbers. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** A schema's name, "text", or form(…). */
  body?: string;
  answers?: Record<string, string>;
  /** Status and the name of its response. */
  failures?: Record<string, string>;
  /** Categories of scopes; the level follows from the method. Absent where nothing is known. */
  scopes?: string[];
  deprecated?: true;
}

/** An operation of the contract: in the specification (by its name alone where that shows no more), in the family, or in both. */
export interface ContractOperation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Null for what the family serves without documenting it. */
  id: string | null;
  tag: string;
  specification?: Promised | "named";
  family?: Promised;
}

/** Fields and their types, required ones with a final !; or another type under this name. */
export type ContractSchemas = Record<string, Record<string, string> | string>;

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dir, name), "utf8"));
}

export const contractOperations = read("operations.json") as readonly ContractOperation[];
export const contractSchemas = read("schemas.json") as ContractSchemas;
