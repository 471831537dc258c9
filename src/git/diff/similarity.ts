import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { commonBytes, spansOf, type ContentSpans } from "./content-spans.ts";
import { isRegularFile } from "./file-pair.ts";
import type { TreeSide } from "./tree-diff.ts";

/** The score of two equal files; scores are whole numbers up to it. */
export const fullScore = 60_000;
/** A larger file is only compared with equal ones. */
const maxComparedBytes = 16 * 1024 * 1024;
/** Memory for data of files that may be compared again. */
const keptBytes = 64 * 1024 * 1024;

interface KnownFile {
  readonly size: number;
  spans: ContentSpans | null;
}

/** Says how much of one file is in another, by git's estimate; reads each file about once. */
export class SimilarityEstimator {
  /** by the side itself, of which callers have one object per file */
  readonly #files = new Map<TreeSide, KnownFile>();
  #bytes = 0;

  constructor(private readonly odb: Pick<ObjectDatabase, "find" | "read" | "sizeAt">) {}

  /**
   * The score of a file against its supposed source, 0 when it can be seen cheaply that it is below `minimum`.
   * Throws MissingObject, CorruptPack.
   */
  score(source: TreeSide, target: TreeSide, minimum: number): number {
    if (!isRegularFile(source.mode) || !isRegularFile(target.mode)) {
      return 0;
    }
    const before = this.#file(source);
    const after = this.#file(target);
    const larger = Math.max(before.size, after.size);
    const grown = larger - Math.min(before.size, after.size);
    if (larger * (fullScore - minimum) < grown * fullScore || larger > maxComparedBytes || after.size === 0) {
      return 0;
    }
    return Math.floor((commonBytes(this.#spans(source, before), this.#spans(target, after)) * fullScore) / larger);
  }

  #file(side: TreeSide): KnownFile {
    let file = this.#files.get(side);
    if (file === undefined) {
      file = { size: this.odb.sizeAt(this.#position(side.oid)), spans: null };
      this.#files.set(side, file);
    }
    return file;
  }

  #spans({ oid }: TreeSide, file: KnownFile): ContentSpans {
    if (file.spans === null) {
      const { type, bytes } = this.odb.read(this.#position(oid));
      file.spans = spansOf(type === ObjectType.blob ? bytes : new Uint8Array(0));
      this.#bytes += file.spans.hashes.length * 8 + 200;
      if (this.#bytes > keptBytes) {
        this.#forget(file);
      }
    }
    return file.spans;
  }

  /** Drops what is known of all files but one. */
  #forget(kept: KnownFile): void {
    for (const file of this.#files.values()) {
      if (file !== kept) {
        file.spans = null;
      }
    }
    this.#bytes = 0;
  }

  #position(oid: Uint8Array): number {
    const position = this.odb.find(oid);
    if (position < 0) {
      throw new MissingObject(bytesToHex(oid));
    }
    return position;
  }
}
