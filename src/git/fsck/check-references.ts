import { existsSync } from "node:fs";
import { readReachability } from "../graph/reachability-file.ts";
import { reachabilityPathOf } from "../pack/pack-paths.ts";
import { peel } from "../graph/peel.ts";
import { RepositoryReader } from "../graph/repository-reader.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import type { Ref } from "../refs/ref.ts";
import { StithyError, messageOf } from "../../lib/errors.ts";

/** So many refs are looked at one by one when not all of them together are whole. */
const maxSingleRefs = 200;

/**
 * Checks all objects that refs reach. Returns the faults as sentences. It trusts no remembered data about the packs,
 * and compares the files beside them with its findings. `step` is called now and then and may throw to end the check.
 */
export function checkReferences(
  db: ObjectDatabase,
  refs: readonly Ref[],
  caches: EngineCaches,
  step: () => void,
): string[] {
  const problems = refs.flatMap((ref) => checkRef(db, ref) ?? []);
  const tips = refs.map(({ oid }) => db.findHex(oid)).filter((position) => position >= 0);
  if (findGap(db, tips, step) !== null) {
    for (const ref of refs.slice(0, maxSingleRefs)) {
      const position = db.findHex(ref.oid);
      const gap = position < 0 ? null : findGap(db, [position], step);
      if (gap !== null) {
        problems.push(`What the ref "${ref.name}" reaches is damaged: ${gap}`);
      }
    }
    if (problems.length === 0) {
      problems.push(`What the refs reach is damaged; the first ${maxSingleRefs} are whole`);
    }
  }
  return [...problems, ...db.packs.flatMap(({ path }) => checkReachability(db, path, caches, step) ?? [])];
}

function checkRef(db: ObjectDatabase, { name, oid, peeled }: Ref): string | null {
  const position = db.findHex(oid);
  if (position < 0) {
    return `The ref "${name}" points to ${oid}, which is missing`;
  }
  try {
    const type = db.typeAt(position);
    if (name.startsWith("refs/heads/") && type !== ObjectType.commit) {
      return `The branch "${name}" points to a ${typeName(type)}`;
    }
    const end = type === ObjectType.tag ? db.hexAt(peel(db, position).position) : null;
    return end === peeled
      ? null
      : `The ref "${name}" is noted to lead to ${peeled ?? "nothing else"}, but leads to ${end ?? "nothing else"}`;
  } catch (error) {
    return `The ref "${name}" cannot be followed: ${explain(error)}`;
  }
}

/** Returns the first missing or damaged object that these positions reach, as a sentence; null if there is none. */
function findGap(db: ObjectDatabase, tips: readonly number[], step: () => void): string | null {
  try {
    for (const _ of new RepositoryReader(db, true).closures.of(tips)) {
      step();
    }
    return null;
  } catch (error) {
    return explain(error);
  }
}

/** Whether the file beside a pack says what is so. One that cannot be used is only made again. */
function checkReachability(all: ObjectDatabase, path: string, caches: EngineCaches, step: () => void): string | null {
  if (!existsSync(reachabilityPathOf(path))) {
    return null;
  }
  using db = ObjectDatabase.open(all.format, [path], caches);
  const known = readReachability(db.packs[0]!);
  const reader = new RepositoryReader(db);
  try {
    for (const { tips, objects } of known?.closures ?? []) {
      const steps = reader.closures.of([...tips]);
      let next = steps.next();
      for (; next.done !== true; next = steps.next()) {
        step();
      }
      if (Buffer.compare(bytesOf(next.value.words), bytesOf(objects.words)) !== 0) {
        return `The file "${reachabilityPathOf(path)}" is wrong: remove it`;
      }
    }
    return null;
  } catch (error) {
    return `The file "${reachabilityPathOf(path)}" is wrong, remove it: ${explain(error)}`;
  }
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

const findings = new Set(["missing-object", "corrupt-object", "corrupt-pack"]);

/** The message of what tells of damage; throws everything else. */
function explain(error: unknown): string {
  if (error instanceof StithyError && findings.has(error.code)) {
    return messageOf(error);
  }
  throw error;
}
