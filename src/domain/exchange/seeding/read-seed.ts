import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { messageOf } from "../../../lib/errors.ts";
import { Seed } from "./seed.ts";
import { SeedError } from "./seed-error.ts";
import { faultsOf, fits } from "../../../lib/schema.ts";

/** A seed of the right shape, and the directory that its paths are relative to. */
export interface ReadSeed {
  seed: Seed;
  directory: string;
}

/** Reads a seed: JSON when the text begins with `{`, else the path of a file of JSON. Throws SeedError with all problems. */
export async function readSeed(argument: string): Promise<ReadSeed> {
  if (argument.trimStart().startsWith("{")) {
    return { seed: parseSeed(argument, "It"), directory: process.cwd() };
  }
  const path = resolve(argument);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new SeedError([`The file ${path} cannot be read: ${messageOf(error)}`]);
  }
  return { seed: parseSeed(text, path), directory: dirname(path) };
}

/** Parses a seed that is called `name` in messages. Throws SeedError with all problems of its shape. */
export function parseSeed(text: string, name: string): Seed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SeedError([`${name} is not JSON: ${messageOf(error)}`]);
  }
  if (fits(Seed, value)) {
    return value;
  }
  // An unknown key is an error of the key, of the keyword "boolean", and of what holds it, which names it better.
  throw new SeedError(
    faultsOf(Seed, value)
      .filter((error) => error.keyword !== "boolean")
      .flatMap((error) => describe(error)),
  );
}

function describe(error: { keyword: string; instancePath: string; message: string; params: object }): string[] {
  const place = placeOf(error.instancePath);
  const params = error.params as { additionalProperties?: string[]; requiredProperties?: string[] };
  switch (error.keyword) {
    case "additionalProperties":
      return (params.additionalProperties ?? []).map((key) => `${join(place, key)}: there is no such key`);
    case "required":
      return (params.requiredProperties ?? []).map((key) => `${join(place, key)}: it is missing`);
    default:
      return [`${place === "" ? "The seed" : place}: ${error.message}`];
  }
}

function join(place: string, key: string): string {
  return place === "" ? key : `${place}.${key}`;
}

/** `/repositories/2/owner` → `repositories[2].owner` */
function placeOf(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((place, part) => (/^\d+$/.test(part) ? `${place}[${part}]` : join(place, part)), "");
}
