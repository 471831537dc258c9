/** The part of a patch for one file. */
export interface FilePatch {
  /** where the file is, null for a new one */
  readonly from: string | null;
  /** where it comes to be, null for one that is removed */
  readonly to: string | null;
  /** whether the file at `from` stays as well */
  readonly copied: boolean;
  /** what the file was when the patch was made; null where it does not tell */
  readonly oldMode: number | null;
  /** what the file comes to be, such as 0o100644; null for what it was */
  readonly mode: number | null;
  readonly hunks: readonly Hunk[];
  readonly binary: BinaryPatch | null;
}

/** Lines that stand in a file and what they become; each with its line feed, if it has one. */
export interface Hunk {
  /** line at which it begins in the new file, from 1; 0 when that is empty */
  readonly newStart: number;
  /** the first line it knows of the old file; 0 or 1 say that it is at the beginning */
  readonly oldStart: number;
  readonly before: readonly Uint8Array[];
  readonly after: readonly Uint8Array[];
  /** unchanged lines at its end: a hunk without them is at the end of the file */
  readonly trailing: number;
}

/** The new content of a binary file, or the delta that makes it of the old one. */
export interface BinaryPatch {
  readonly kind: "literal" | "delta";
  readonly bytes: Uint8Array;
  /** whole oids of the contents, hexadecimal; all zeros for none */
  readonly oldOid: string;
  readonly newOid: string;
}

export function isLinkMode(mode: number): boolean {
  return mode === 0o120000;
}
