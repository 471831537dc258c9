import type { OpenApiDocument } from "../../src/api/openapi/types.ts";
import { OperationComparer, type OperationComparison, type Source } from "./compare-operations.ts";
import { SchemaComparer, type SchemaComparison } from "./compare-schemas.ts";
import { contractOperations, contractSchemas } from "./tables.ts";

export interface ContractReport {
  /** Every operation of the contract that a source knows. */
  results: Record<Source, OperationComparison[]>;
  schemas: [name: string, comparison: SchemaComparison][];
  /** Operations of ours beyond the contract. */
  beyond: string[];
}

export function compareWithContract(document: OpenApiDocument, tag?: string): ContractReport {
  const schemas = new SchemaComparer(document, contractSchemas);
  const comparer = new OperationComparer(document, schemas);
  const chosen = contractOperations.filter((operation) => tag === undefined || operation.tag === tag);
  const results = (source: Source): OperationComparison[] =>
    chosen.map((operation) => comparer.compare(operation, source)).filter((result) => result !== null);
  return {
    results: { specification: results("specification"), family: results("family") },
    schemas: schemas.report(),
    beyond: comparer.unknown(contractOperations),
  };
}

/** Where an operation stands, as the baseline names it. */
export function addressOf({ operation }: OperationComparison): string {
  return `${operation.method} ${operation.path}`;
}

/** The addresses of the operations that are equal, by source, sorted. */
export function equalOperations({ results }: ContractReport): Record<Source, string[]> {
  const equal = (source: Source): string[] =>
    results[source]
      .filter(({ state }) => state === "equal")
      .map(addressOf)
      .sort();
  return { specification: equal("specification"), family: equal("family") };
}
