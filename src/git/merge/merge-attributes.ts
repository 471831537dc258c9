import { AttributeStack } from "../attributes/attribute-stack.ts";
import { largestAttributesFile } from "../attributes/parse-attributes.ts";
import { ObjectType } from "../objects/object-type.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { regularType, typeOfMode } from "./merge-path.ts";
import type { ObjectOverlay } from "./object-overlay.ts";

/** How the versions of a file are merged. */
export interface FileMergeRules {
  /** "text": by lines; "union": by lines, of which a conflict takes those of both sides; "binary": not at all */
  readonly driver: "text" | "union" | "binary";
  /** characters of a conflict's marker */
  readonly markerSize: number;
}

interface Directory {
  /** null where the tree has no such directory */
  readonly tree: Uint8Array | null;
  readonly path: string;
}

const defaultMarkerSize = 7;
const longestMarker = 1000;
const attributesName = Buffer.from(".gitattributes");

/**
 * Reads the attributes `merge` and `conflict-marker-size` (gitattributes(5)) from the .gitattributes files of a tree.
 * Drivers that git does not bring count as "text", as in git without configuration.
 */
export class MergeAttributes {
  readonly #stack = new AttributeStack();
  /** the directories whose files are in the stack, from the root on */
  readonly #open: Directory[] = [];

  constructor(
    private readonly objects: ObjectOverlay,
    /** hexadecimal oid of a tree */
    private readonly tree: string,
  ) {}

  /** Throws MissingObject, CorruptObject, CorruptPack. */
  of(path: string): FileMergeRules {
    this.#enter(path);
    if (this.#stack.isEmpty) {
      return { driver: "text", markerSize: defaultMarkerSize };
    }
    const said = this.#stack.of(path);
    const merge = said.get("merge");
    const size = said.get("conflict-marker-size");
    const markerSize = typeof size === "string" ? Number.parseInt(size, 10) : Number.NaN;
    return {
      driver: merge === false || merge === "binary" ? "binary" : merge === "union" ? "union" : "text",
      markerSize: markerSize > 0 ? Math.min(markerSize, longestMarker) : defaultMarkerSize,
    };
  }

  /** Reads the directories down to the one that a path is in, and forgets those that it is not in. */
  #enter(path: string): void {
    while (this.#open.length > 0 && !path.startsWith(this.#open.at(-1)!.path)) {
      this.#open.pop();
      this.#stack.pop();
    }
    if (this.#open.length === 0) {
      this.#push("", this.objects.content(this.tree, ObjectType.tree));
    }
    for (
      let from = this.#open.at(-1)!.path.length, slash = path.indexOf("/", from);
      slash >= 0;
      from = slash + 1, slash = path.indexOf("/", from)
    ) {
      const entry = this.#find(this.#open.at(-1)!.tree, Buffer.from(path.slice(from, slash), "latin1"));
      this.#push(
        path.slice(0, slash + 1),
        entry?.isTree === true ? this.objects.content(entry.oid, ObjectType.tree) : null,
      );
    }
  }

  #push(path: string, tree: Uint8Array | null): void {
    const entry = this.#find(tree, attributesName);
    const bytes =
      entry?.isFile === true && this.objects.sizeOf(entry.oid) <= largestAttributesFile
        ? this.objects.content(entry.oid, ObjectType.blob)
        : null;
    this.#open.push({ path, tree });
    this.#stack.push(
      bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"),
      path.length,
    );
  }

  #find(tree: Uint8Array | null, name: Uint8Array): { oid: string; isTree: boolean; isFile: boolean } | null {
    const cursor = tree === null ? null : new TreeCursor(tree, this.objects.db.format);
    if (cursor === null || !cursor.seek(name)) {
      return null;
    }
    return {
      oid: Buffer.from(cursor.oid()).toString("hex"),
      isTree: cursor.isTree,
      isFile: typeOfMode(cursor.mode) === regularType,
    };
  }
}
