import type { ObjectDatabase } from "../odb/object-database.ts";
import { abbreviateOid } from "./abbreviate-oid.ts";
import { writeBinaryPatch } from "./binary-patch.ts";
import { withoutCommonTail } from "./common-tail.ts";
import { DiffTooCostly } from "./diff-effort.ts";
import type { FilePair, FileSide } from "./file-pair.ts";
import type { HunkOptions } from "./hunk-groups.ts";
import { isBinary } from "./line-counts.ts";
import type { PatchOutput } from "./patch-output.ts";
import { quotePath } from "./quote-path.ts";
import { contentOf } from "./side-content.ts";
import { diffTexts, type TextDiffOptions } from "./text-diff.ts";
import { writeHunks } from "./write-hunks.ts";
import { bytesToHex } from "../objects/oid.ts";

export interface PatchOptions extends HunkOptions, Omit<TextDiffOptions, "indentHeuristic"> {
  /** whole oids in `index` lines (`--full-index`) */
  readonly fullIndex: boolean;
  /** what binary files became, instead of the bare fact that they differ (`--binary`) */
  readonly binary: boolean;
}

/** As `git diff` writes without options. */
export const defaultPatch: PatchOptions = {
  context: 3,
  ignoreBlankLines: false,
  whitespace: "significant",
  algorithm: "myers",
  fullIndex: false,
  binary: false,
};

/**
 * Writes the patch of one file, byte for byte as git does; nothing when there is nothing to show. A file that is too
 * large, or too costly to compare, is treated as binary. Throws MissingObject, CorruptPack.
 */
export function writeFilePatch(odb: ObjectDatabase, pair: FilePair, options: PatchOptions, out: PatchOutput): void {
  if (pair.status === "retyped") {
    // A change of the kind of entry is shown as a removal and an addition.
    new FilePatch(odb, { ...pair, after: null }, options, out).write();
    new FilePatch(odb, { ...pair, before: null }, options, out).write();
  } else {
    new FilePatch(odb, pair, options, out).write();
  }
}

class FilePatch {
  readonly #before: FileSide | null;
  readonly #after: FileSide | null;
  readonly #beforeName: string;
  readonly #afterName: string;

  constructor(
    private readonly odb: ObjectDatabase,
    private readonly pair: FilePair,
    private readonly options: PatchOptions,
    private readonly out: PatchOutput,
  ) {
    this.#before = pair.before;
    this.#after = pair.after;
    this.#beforeName = quotePath(prefixed("a/", (pair.before ?? pair.after)!));
    this.#afterName = quotePath(prefixed("b/", (pair.after ?? pair.before)!));
  }

  write(): void {
    const { out, odb, options } = this;
    const start = out.length;
    const before = contentOf(odb, this.#before);
    const after = contentOf(odb, this.#after);
    const binary = before === null || after === null || isBinary(before) || isBinary(after);
    const isShown = this.#writeHeader(options.fullIndex || (options.binary && binary));
    const headerEnd = out.length;
    if (!this.#isSameContent()) {
      if (!binary) {
        this.#writeText(before, after);
      } else if (options.binary && before !== null && after !== null) {
        writeBinaryPatch(before, after, out);
      } else {
        this.#writeDiffer();
      }
    }
    if (!isShown && out.length === headerEnd) {
      out.cut(start);
    }
  }

  /** Writes the lines before the hunks. Returns true if they say something even without hunks. */
  #writeHeader(fullOids: boolean): boolean {
    const before = this.#before;
    const after = this.#after;
    const { similarity, status } = this.pair;
    this.out.text(`diff --git ${this.#beforeName} ${this.#afterName}\n`);
    let isShown = true;
    if (before === null) {
      this.out.text(`new file mode ${modeOf(after)}\n`);
    } else if (after === null) {
      this.out.text(`deleted file mode ${modeOf(before)}\n`);
    } else {
      isShown = before.mode !== after.mode || similarity !== null;
      if (before.mode !== after.mode) {
        this.out.text(`old mode ${modeOf(before)}\nnew mode ${modeOf(after)}\n`);
      }
      if (similarity !== null) {
        const verb = status === "copied" ? "copy" : "rename";
        this.out.text(
          `similarity index ${similarity}%\n${verb} from ${quotePath(pathBytes(before))}\n${verb} to ${quotePath(pathBytes(after))}\n`,
        );
      }
    }
    if (!this.#isSameContent()) {
      const mode = before !== null && after !== null && before.mode === after.mode ? ` ${modeOf(before)}` : "";
      this.out.text(`index ${this.#oid(before, fullOids)}..${this.#oid(after, fullOids)}${mode}\n`);
    }
    return isShown;
  }

  #writeText(before: Uint8Array, after: Uint8Array): void {
    const start = this.out.length;
    this.out.text(`--- ${this.#before === null ? "/dev/null" : labelled(this.#beforeName)}\n`);
    this.out.text(`+++ ${this.#after === null ? "/dev/null" : labelled(this.#afterName)}\n`);
    const namesEnd = this.out.length;
    try {
      const [old, now] = this.options.context === 0 ? withoutCommonTail(before, after) : [before, after];
      writeHunks(diffTexts(old, now, { ...this.options, indentHeuristic: true }), this.options, this.out);
    } catch (error) {
      if (!(error instanceof DiffTooCostly)) {
        throw error;
      }
      this.out.cut(start);
      this.#writeDiffer();
      return;
    }
    if (this.out.length === namesEnd) {
      this.out.cut(start);
    }
  }

  #writeDiffer(): void {
    const before = this.#before === null ? "/dev/null" : this.#beforeName;
    const after = this.#after === null ? "/dev/null" : this.#afterName;
    this.out.text(`Binary files ${before} and ${after} differ\n`);
  }

  #isSameContent(): boolean {
    return this.#before !== null && this.#after !== null && Buffer.compare(this.#before.oid, this.#after.oid) === 0;
  }

  #oid(side: FileSide | null, full: boolean): string {
    const oid = side?.oid ?? new Uint8Array(this.odb.format.oidBytes);
    return full ? bytesToHex(oid) : abbreviateOid(this.odb, oid);
  }
}

/** A name in a `---` or `+++` line: a tab says where it ends when there are spaces in it. */
function labelled(name: string): string {
  return name.includes(" ") ? `${name}\t` : name;
}

function prefixed(prefix: string, side: FileSide): Uint8Array {
  return Buffer.concat([Buffer.from(prefix), pathBytes(side)]);
}

function pathBytes({ path, rawPath }: FileSide): Uint8Array {
  return rawPath ?? Buffer.from(path);
}

function modeOf(side: FileSide | null): string {
  return (side?.mode ?? 0).toString(8).padStart(6, "0");
}
