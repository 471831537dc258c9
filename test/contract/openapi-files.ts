import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OpenApiDocument } from "../../src/api/openapi/types.ts";
import { resourceOf } from "./resource-of.ts";

/**
 * The OpenAPI document as it is reviewed: one file for the operations of a resource, one for a schema, and one for what
 * all share. `bun run openapi` writes them; `openapi.test.ts` fails for one that differs, is missing or is left over.
 */

const directory = join(import.meta.dir, "openapi");

/** The document in parts, by the names of their files below `openapi/`. */
export function partsOf({ paths, components, ...head }: OpenApiDocument): Map<string, unknown> {
  const { schemas, ...shared } = components;
  const parts = new Map<string, unknown>([["shared.json", { ...head, components: shared }]]);
  const resources = Map.groupBy(Object.entries(paths), ([path]) => resourceOf(path));
  for (const [resource, entries] of resources) {
    parts.set(`operations/${resource}.json`, Object.fromEntries(entries));
  }
  for (const [name, schema] of Object.entries(schemas)) {
    parts.set(`schemas/${name}.json`, schema);
  }
  return parts;
}

/** What is written: the parts by the names of their files. */
export function readParts(): Map<string, unknown> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(directory, name), "utf8")) as unknown]));
}

/** Writes the parts, removes files that are none, and returns the names of those that changed. */
export function writeParts(parts: ReadonlyMap<string, unknown>): string[] {
  const before = readParts();
  const gone = [...before.keys()].filter((name) => !parts.has(name));
  gone.forEach((name) => rmSync(join(directory, name)));
  const changed = [...parts].filter(([name, part]) => !Bun.deepEquals(before.get(name), plain(part), true));
  for (const [name, part] of changed) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(part, null, 2)}\n`);
  }
  return [...gone, ...changed.map(([name]) => name)];
}

/** As it comes back from a file. */
export function plain(part: unknown): unknown {
  return JSON.parse(JSON.stringify(part));
}
