import { Type, type Static, type TSchema } from "typebox";
import type { Forge } from "../domain/spine/forge.ts";
import { InvalidInput } from "../lib/errors.ts";
import { readJson } from "../http/json-body.ts";
import { LfsRefusal } from "./refusals.ts";
import { choice, faultsOf, fits } from "../lib/schema.ts";

const Ref = Type.Optional(Type.Union([Type.Null(), Type.Object({ name: Type.Optional(Type.String()) })]));

export const BatchInput = Type.Object({
  operation: choice(["upload", "download"]),
  transfers: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String(), { maxItems: 100 })])),
  ref: Ref,
  objects: Type.Array(Type.Object({ oid: Type.String(), size: Type.Number() })),
  hash_algo: Type.Optional(Type.String()),
});

export const VerifyInput = Type.Object({ oid: Type.String(), size: Type.Number() });

export const LockInput = Type.Object({ path: Type.String(), ref: Ref });

export const UnlockInput = Type.Object({ force: Type.Optional(Type.Union([Type.Null(), Type.Boolean()])), ref: Ref });

export const VerifyLocksInput = Type.Object({
  cursor: Type.Optional(Type.Union([Type.Null(), Type.String()])),
  limit: Type.Optional(Type.Union([Type.Null(), Type.Integer()])),
  ref: Ref,
});

/** Whether a list in a body is so long that nobody is told which of its items is wrong: that takes a hundred times as long. */
function isLarge(value: unknown, except: readonly string[] = []): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).some(
      ([name, field]: [string, unknown]) => !except.includes(name) && Array.isArray(field) && field.length > 1000,
    )
  );
}

/** Reads a body of JSON and holds it against a schema; fields beyond it are let be. Throws InvalidInput, and what readJson throws. */
export async function readInput<Schema extends TSchema>(
  forge: Forge,
  request: Request,
  schema: Schema,
  limitBytes: number,
): Promise<Static<Schema>> {
  const value = await readJson(forge.json, request, limitBytes);
  // Only the objects of a batch may be many, and those are counted later: a check of every item would come first.
  if (!isLarge(value, ["objects"]) && fits(schema, value)) {
    return value as Static<Schema>;
  }
  const [error] = isLarge(value) ? [] : faultsOf(schema, value);
  const reason = error === undefined ? "it does not fit" : `${error.instancePath || "it"} ${error.message}`;
  throw new InvalidInput(`The body cannot be used: ${reason}`);
}

/** Throws LfsRefusal with 406 when the client takes no answer of LFS. */
export function checkAccept(request: Request): void {
  const accept = request.headers.get("accept");
  const taken =
    accept === null ||
    accept
      .split(",")
      .some((one) => /^(application\/(vnd\.git-lfs\+json|json|\*)|\*\/\*)$/.test(one.split(";")[0]?.trim() ?? ""));
  if (!taken) {
    throw new LfsRefusal(406, "Answers are of the type application/vnd.git-lfs+json");
  }
}
