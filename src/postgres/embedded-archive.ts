/** The PostgreSQL programs inside the executable: a `tar.zst` of what `packageFiles` lists. */
export interface EmbeddedArchive {
  /** Where Bun serves the embedded file. */
  readonly path: string;
  /** SHA-256 of the compressed archive, in hexadecimal. */
  readonly sha256: string;
  /** The version of the package that it was made from. */
  readonly version: string;
}

/** Null outside the executable; `build.ts` puts the archive's module in place of this one. */
export const embeddedArchive: EmbeddedArchive | null = null as EmbeddedArchive | null;
