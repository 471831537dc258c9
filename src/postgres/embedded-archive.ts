/** A `tar.zst` inside the executable. */
export interface EmbeddedArchive {
  /** Where Bun serves the embedded file. */
  readonly path: string;
  /** SHA-256 of the compressed archive, in hexadecimal. */
  readonly sha256: string;
}

/** The PostgreSQL programs: what `packageFiles` lists. */
export interface EmbeddedPrograms extends EmbeddedArchive {
  /** The version of the package that they are from. */
  readonly version: string;
}

/** The template of throw-away clusters. */
export interface EmbeddedCluster extends EmbeddedArchive {
  /** The name of the template: it serves for no other one. */
  readonly name: string;
}

/** Null outside the executable; `build.ts` puts the archives' module in place of this one. */
export const embeddedPrograms: EmbeddedPrograms | null = null as EmbeddedPrograms | null;

/** Null in executables for other platforms than the one they were built on, too: to make it, the programs have to run. */
export const embeddedCluster: EmbeddedCluster | null = null as EmbeddedCluster | null;
