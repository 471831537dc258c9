import type { ObjectDatabase } from "../odb/object-database.ts";
import { hexToBytes } from "../objects/oid.ts";
import { readTree } from "../tree/read-tree.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { AttributeStack } from "./attribute-stack.ts";
import { largestAttributesFile, type AttributeValue } from "./parse-attributes.ts";

export const attributesName = ".gitattributes";
const attributesBytes = Buffer.from(attributesName);
const typeMask = 0o170000;
const regularFile = 0o100000;
const noAttributes: ReadonlyMap<string, AttributeValue> = new Map();

/**
 * Looks up attributes of single paths in the .gitattributes files of a tree. Paths in the order of the tree cost the
 * least: the files of a directory are read once for all of them.
 */
export class AttributesOfPaths {
  readonly #stack = new AttributeStack();
  /** The directories whose files are in the stack: the root, and those below it. */
  readonly #entered: { path: string; tree: Uint8Array | null }[] = [];

  constructor(
    private readonly odb: ObjectDatabase,
    tree: string,
  ) {
    this.#enter("", readTree(odb, hexToBytes(tree)));
  }

  of(path: string): ReadonlyMap<string, AttributeValue> {
    while (!path.startsWith(this.#entered.at(-1)!.path)) {
      this.#entered.pop();
      this.#stack.pop();
    }
    for (let top = this.#entered.at(-1)!; ; top = this.#entered.at(-1)!) {
      const end = path.indexOf("/", top.path.length);
      if (end < 0) {
        return this.#stack.isEmpty ? noAttributes : this.#stack.of(path);
      }
      this.#enter(path.slice(0, end + 1), subtree(this.odb, top.tree, path.slice(top.path.length, end)));
    }
  }

  #enter(path: string, tree: Uint8Array | null): void {
    this.#stack.push(tree === null ? null : attributesIn(this.odb, tree), path.length);
    this.#entered.push({ path, tree });
  }
}

/** A directory in a tree; null when there is none. */
function subtree(odb: ObjectDatabase, tree: Uint8Array | null, name: string): Uint8Array | null {
  const cursor = tree === null ? null : new TreeCursor(tree, odb.format);
  return cursor?.seek(Buffer.from(name, "latin1")) === true && cursor.isTree ? readTree(odb, cursor.oid()) : null;
}

/** The .gitattributes file of a tree, each byte a character; null when it has none. */
export function attributesIn(odb: ObjectDatabase, tree: Uint8Array): string | null {
  const cursor = new TreeCursor(tree, odb.format);
  const isFile = cursor.seek(attributesBytes) && (cursor.mode & typeMask) === regularFile;
  const position = isFile ? odb.find(cursor.bytes, cursor.oidAt) : -1;
  const bytes = position < 0 ? null : (odb.readUpTo(position, largestAttributesFile)?.bytes ?? null);
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** What attributes say about a question of yes or no; null: nothing. */
export function flagOf(said: ReadonlyMap<string, AttributeValue>, name: string): boolean | null {
  const value = said.get(name);
  return value === undefined || value === null ? null : value !== false && value !== "false";
}
