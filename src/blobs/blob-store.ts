import { StithyError } from "../lib/errors.ts";

/** The content is not the one it was said to be. */
export class BlobMismatch extends StithyError {
  constructor(sha256: string, found: string) {
    super("blob-mismatch", `The content has the SHA-256 ${found}, not ${sha256}`, { sha256, found });
  }
}

/** The content is longer than allowed. */
export class BlobTooLarge extends StithyError {
  constructor(limitBytes: number) {
    super("blob-too-large", `A file of more than ${limitBytes} bytes is not accepted`, { limitBytes });
  }
}

/** A file that the database knows of is not in the store. */
export class BlobMissing extends StithyError {
  constructor(sha256: string) {
    super("blob-missing", `The file ${sha256} is missing from the blob store`, { sha256 });
  }
}

/** A file that came whole and is durable, under a name that only the store knows. Disposing removes it, unless it was published. */
export interface StagedBlob extends AsyncDisposable {
  readonly sha256: string;
  readonly bytes: number;
  /** Whether publish was called, whatever came of it. */
  readonly published: boolean;
  /** Puts it in its place, durably; one of the same name has the same content and may be there. */
  publish(): Promise<void>;
}

/**
 * Files named by the SHA-256 of their content, 64 hexadecimal digits in lower case. A file never changes; it is there
 * whole or not at all. Who may have it, and who refers to it, is not the store's matter.
 */
export interface BlobStore {
  /**
   * Takes a file. Content is hashed as it arrives and never held in memory. Throws BlobMismatch, BlobTooLarge, what
   * reading the content throws, and an error of code "storage-full"; nothing is left behind then.
   */
  stage(sha256: string, content: AsyncIterable<Uint8Array>, limits: { bytes: number }): Promise<StagedBlob>;

  /** A file, of which nothing is read before it is wanted; null for one that is not there. */
  find(sha256: string): Promise<Blob | null>;

  /** Removes a file, if it is there. Whoever does this keeps others from publishing it meanwhile. */
  remove(sha256: string): Promise<void>;

  /** Removes files that were written before an instant (milliseconds) and that nobody knows; answers how many. */
  collect(references: BlobReferences, before: number): Promise<number>;
}

/** Who refers to files. */
export interface BlobReferences {
  /** Which of these files somebody refers to. */
  known(names: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Does something with a file while nobody can come to refer to it or to publish it; false, with nothing done, where
   * somebody does, or is about to.
   */
  whileUnknown(name: string, work: () => Promise<void>): Promise<boolean>;
}
