import { bytesToHex } from "../objects/oid.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { mayRefer } from "../objects/may-refer.ts";

/** The commits of a pack, of which no message can name an issue. */
export interface QuietHistory {
  /** hexadecimal oids of the commits that the pack brought */
  readonly commits: ReadonlySet<string>;
  /** those of their parents that it did not bring */
  readonly outside: ReadonlySet<string>;
}

/** A pack with more commits is taken for one that names issues. */
const mostCommits = 1000;
const parentLine = /^parent ([0-9a-f]+)$/gm;

/**
 * Looks at each commit of a pack while its bytes are at hand: where none can name an issue, nobody has to read them a second time to find that
 * out.
 */
export class QuietCommits {
  private readonly commits = new Set<string>();
  private readonly parents = new Set<string>();
  private isQuiet = true;

  constructor(private readonly format: ObjectFormat) {}

  /** Takes the commit `bytes[at..at + size)`, whose oid is at `oids[oidAt]`. */
  take(bytes: Uint8Array, at: number, size: number, oids: Uint8Array, oidAt: number): void {
    if (!this.isQuiet) {
      return;
    }
    // The relevant bytes are ASCII, whatever the encoding of the rest.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, size).toString("latin1");
    this.isQuiet = this.commits.size < mostCommits && !mayRefer.test(text);
    const end = text.indexOf("\n\n");
    for (const [, parent] of text.slice(0, end < 0 ? text.length : end).matchAll(parentLine)) {
      this.parents.add(parent!);
    }
    this.commits.add(bytesToHex(oids, oidAt, this.format.oidBytes));
  }

  /** null: some message may name an issue, or there were too many to know. */
  finish(): QuietHistory | null {
    const { commits, parents, isQuiet } = this;
    return isQuiet ? { commits, outside: new Set([...parents].filter((oid) => !commits.has(oid))) } : null;
  }
}
