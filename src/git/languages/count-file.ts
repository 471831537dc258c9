import { isBinary } from "../diff/line-counts.ts";
import { flagOf } from "../attributes/attributes-of-paths.ts";
import type { AttributeValue } from "../attributes/parse-attributes.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";
import { detectLanguage, findLanguage } from "../../lib/languages/detect-language.ts";
import { isGeneratedContent } from "./generated-content.ts";
import { linguistTables } from "../../lib/languages/linguist-tables.ts";

/** The attributes of a path. */
export type Said = ReadonlyMap<string, AttributeValue>;

/** The share of a file in the languages of a repository. */
export interface CountedFile {
  readonly language: string;
  readonly bytes: number;
}

/** So much of a file's beginning is looked at, bytes. */
const sampleBytes = 16 * 1024;
/** Up to this size a file is inflated as a whole; of a larger one the beginning is. */
const wholeBytes = 256 * 1024;
const lfsPointer = "version https://git-lfs.github.com/spec/v1\n";
const largestPointer = 1024;

/** Finds what single files add, as Linguist counts them: the bytes of a repository's own text in programming and markup languages. */
export class FileCounter {
  readonly #reader = new UncachedReader();

  constructor(private readonly odb: ObjectDatabase) {}

  /** null for a file that is not counted. `path`: each byte a character. Throws MissingObject, CorruptPack. */
  count(path: string, oid: Uint8Array, said: Said): CountedFile | null {
    const name = Buffer.from(path, "latin1").toString();
    const tables = linguistTables();
    if (
      (flagOf(said, "linguist-vendored") ?? tables.isVendored(name)) ||
      (flagOf(said, "linguist-documentation") ?? tables.isDocumentation(name))
    ) {
      return null;
    }
    const generated = flagOf(said, "linguist-generated");
    if (generated ?? tables.isGenerated(name)) {
      return null;
    }
    const position = this.odb.find(oid);
    if (position < 0) {
      throw new MissingObject(bytesToHex(oid));
    }
    const bytes = this.odb.sizeAt(position);
    const sample = bytes === 0 ? null : this.#sample(position, bytes);
    if (sample === null || isBinary(sample)) {
      return null;
    }
    const text = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength)
      .toString()
      .replace(/^\uFEFF/, "");
    if (
      (bytes < largestPointer && text.startsWith(lfsPointer)) ||
      (generated === null && isGeneratedContent(name, text, bytes <= sample.length))
    ) {
      return null;
    }
    const given = said.get("linguist-language");
    const found = typeof given === "string" ? findLanguage(given) : detectLanguage(name, text);
    return found === null ? null : countedAs(found, bytes, flagOf(said, "linguist-detectable"));
  }

  /** The beginning of a file, good until the next is read; null for what is no file. */
  #sample(position: number, size: number): Uint8Array | null {
    if (size <= wholeBytes) {
      const object = this.odb.readOnceUpTo(position, this.#reader, wholeBytes);
      return object?.type === ObjectType.blob ? object.bytes.subarray(0, sampleBytes) : null;
    }
    if (this.odb.typeAt(position) !== ObjectType.blob) {
      return null;
    }
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (const piece of this.odb.readPieces(position)) {
      pieces.push(piece.slice(0, sampleBytes - length));
      length += pieces.at(-1)!.length;
      if (length === sampleBytes) {
        break;
      }
    }
    return Buffer.concat(pieces);
  }
}

/** An attribute that is set or unset, also in the words true and false; null where nothing is said. */
/** Data and prose are counted only where an attribute says so. */
function countedAs(found: string, bytes: number, detectable: boolean | null): CountedFile | null {
  const { languages } = linguistTables();
  const language = languages.get(found)?.group ?? found;
  const type = languages.get(language)?.type;
  return (detectable ?? (type === "programming" || type === "markup")) ? { language, bytes } : null;
}
