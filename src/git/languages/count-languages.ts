import { AttributesOfPaths, attributesIn, attributesName } from "../attributes/attributes-of-paths.ts";
import { AttributeStack } from "../attributes/attribute-stack.ts";
import { diffTrees, type TreeSide } from "../diff/tree-diff.ts";
import { hexToBytes } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { readTree } from "../tree/read-tree.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { FileCounter, type CountedFile, type Said } from "./count-file.ts";

/** Bytes by the name of the language. */
export type LanguageBytes = Readonly<Record<string, number>>;

/** A tree whose languages are known. */
export interface KnownLanguages {
  /** hexadecimal oid */
  readonly tree: string;
  readonly bytes: LanguageBytes;
}

/** Linguist counts no tree of more than 100,000 files; here they are some more. */
const mostFiles = 250_000;
/** 100,000 files take 20 to 80 s. Texts made for that purpose take as long with 5,000. */
const longestMs = 180_000;

const typeMask = 0o170000;
const regularFile = 0o100000;
const noAttributes: Said = new Map();

/**
 * Counts the bytes of each language in a tree. With `known` only what differs from that tree is looked at, unless a
 * .gitattributes file does. null: the tree has more than 250,000 files, or counting them takes more than three minutes.
 * `step` is called for each file and may throw. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function countLanguages(
  odb: ObjectDatabase,
  tree: string,
  known: KnownLanguages | null,
  step: (done: number) => void,
): LanguageBytes | null {
  const counter = new FileCounter(odb);
  const end = performance.now() + longestMs;
  const boundedStep = (files: number): void => {
    step(files);
    if (files > mostFiles || performance.now() > end) {
      throw new TooMuchToCount();
    }
  };
  try {
    const changed = known === null ? null : countSince(odb, tree, known, counter, boundedStep);
    return changed ?? countAll(odb, tree, counter, boundedStep);
  } catch (error) {
    if (error instanceof TooMuchToCount) {
      return null;
    }
    throw error;
  }
}

/** Ends a count; it never leaves this file. */
class TooMuchToCount extends Error {}

/** null: the trees cannot be compared, as the other one is not there any more, or not whole. */
function countSince(...args: Parameters<typeof countChanges>): LanguageBytes | null {
  try {
    return countChanges(...args);
  } catch (error) {
    if (error instanceof MissingObject) {
      return null;
    }
    throw error;
  }
}

function countAll(
  odb: ObjectDatabase,
  tree: string,
  counter: FileCounter,
  step: (done: number) => void,
): LanguageBytes {
  const total = new Total({});
  let files = 0;
  for (const { path, oid, said } of walkFiles(odb, tree)) {
    step(++files);
    total.add(counter.count(path, oid, said), 1);
  }
  return total.bytes;
}

/** null: the trees cannot be compared this way, and all files have to be counted. */
function countChanges(
  odb: ObjectDatabase,
  tree: string,
  known: KnownLanguages,
  counter: FileCounter,
  step: (done: number) => void,
): LanguageBytes | null {
  const total = new Total(known.bytes);
  const attributes = new AttributesOfPaths(odb, tree);
  let files = 0;
  for (const { path, rawPath, before, after } of diffTrees(odb, hexToBytes(known.tree), hexToBytes(tree))) {
    step(++files);
    if (path === attributesName || path.endsWith(`/${attributesName}`)) {
      return null;
    }
    const latin1 = Buffer.from(rawPath ?? Buffer.from(path)).toString("latin1");
    // No .gitattributes file differs, so what they say is the same on both sides.
    const said = attributes.of(latin1);
    const count = (side: TreeSide | null): CountedFile | null =>
      side !== null && (side.mode & typeMask) === regularFile ? counter.count(latin1, side.oid, said) : null;
    total.add(count(before), -1);
    total.add(count(after), 1);
  }
  return total.bytes;
}

class Total {
  readonly #bytes: Map<string, number>;

  constructor(bytes: LanguageBytes) {
    this.#bytes = new Map(Object.entries(bytes));
  }

  add(file: CountedFile | null, sign: 1 | -1): void {
    if (file !== null) {
      this.#bytes.set(file.language, (this.#bytes.get(file.language) ?? 0) + sign * file.bytes);
    }
  }

  /** The counted languages, the most bytes first. */
  get bytes(): LanguageBytes {
    return Object.fromEntries(
      [...this.#bytes]
        .filter(([, bytes]) => bytes > 0)
        .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)),
    );
  }
}

interface FoundFile {
  /** each byte a character */
  readonly path: string;
  readonly oid: Uint8Array;
  readonly said: Said;
}

/** The regular files of a tree, with what its .gitattributes say of each. */
function* walkFiles(odb: ObjectDatabase, tree: string): Generator<FoundFile> {
  const attributes = new AttributeStack();
  const enter = (oid: Uint8Array, path: string) => {
    const bytes = readTree(odb, oid);
    attributes.push(attributesIn(odb, bytes), path.length);
    return { cursor: new TreeCursor(bytes, odb.format), path };
  };
  const stack = [enter(hexToBytes(tree), "")];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { cursor, path: parent } = top;
    if (!cursor.valid) {
      stack.pop();
      attributes.pop();
      continue;
    }
    const path = parent + latin1(cursor.bytes.subarray(cursor.nameAt, cursor.nameEnd));
    const { isTree, mode } = cursor;
    const oid = cursor.oid();
    cursor.next();
    if (isTree) {
      stack.push(enter(oid, `${path}/`));
    } else if ((mode & typeMask) === regularFile) {
      yield { path, oid, said: attributes.isEmpty ? noAttributes : attributes.of(path) };
    }
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
