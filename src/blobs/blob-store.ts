import { StithyError } from "../lib/errors.ts";

/** The content is not the one it was said to be. */
export class BlobMismatch extends StithyError {
  constructor(sha256: string, found: string) {
    super("invalid", "blob-mismatch", `The content has the SHA-256 ${found}, not ${sha256}`, { sha256, found });
  }
}

/** The content is longer than allowed. */
export class BlobTooLarge extends StithyError {
  constructor(limitBytes: number) {
    super("too-large", "blob-too-large", `A file of more than ${limitBytes} bytes is not accepted`, { limitBytes });
  }
}

/** A file that the database knows of is not in the store. */
export class BlobMissing extends StithyError {
  constructor(sha256: string) {
    super("fault", "blob-missing", `The file ${sha256} is missing from the blob store`, { sha256 });
  }
}

/** Digests that formats of packages and clients of registries name files by, beside SHA-256. */
export const extraDigests = ["md5", "sha1", "sha512"] as const;
export type ExtraDigest = (typeof extraDigests)[number];

/** A file that came whole and is durable, under a name that only the store knows. Disposing removes it, unless it was published. */
export interface StagedBlob extends AsyncDisposable {
  readonly sha256: string;
  readonly bytes: number;
  /** The digests that `stage` was asked for, in lower-case hexadecimal. */
  readonly digests: Readonly<Partial<Record<ExtraDigest, string>>>;
  /** The bytes, until it is published or disposed: who reads them then finds no file. Nothing is read before it is wanted. */
  readonly content: Blob;
  /** Whether publish was called, whatever came of it. */
  readonly published: boolean;
  /** Puts it in its place, durably; one of the same name has the same content and may be there. */
  publish(): Promise<void>;
}

export interface StageOptions {
  /** The most bytes that are taken. */
  bytes: number;
  /** Further digests beside SHA-256. */
  digests?: readonly ExtraDigest[];
}

/**
 * Files named by the SHA-256 of their content, 64 hexadecimal digits in lower case. A file never changes; it is there
 * whole or not at all. Who may have it, and who refers to it, is not the store's matter.
 */
export interface BlobStore {
  /**
   * Takes a file of this SHA-256; null: of whatever it turns out to have. Content is hashed as it arrives, once for all
   * digests, and never held in memory. Throws BlobMismatch, BlobTooLarge, what
   * reading the content throws, and an error of code "storage-full"; nothing is left behind then.
   */
  stage(sha256: string | null, content: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBlob>;

  /** A file, of which nothing is read before it is wanted; null for one that is not there. */
  find(sha256: string): Promise<Blob | null>;

  /** Removes a file, if it exists. The caller keeps others from publishing it meanwhile. */
  remove(sha256: string): Promise<void>;

  /** The names of all files, some at a time. */
  list(): AsyncIterable<readonly string[]>;

  /** `changedAt` of a file as this process wrote it and hashed it meanwhile; null for a file of before, and for one that is long ago. */
  hashedAt(sha256: string): number | null;

  /** When a file was written, in milliseconds since 1970; null for one that is not there. */
  writtenAt(sha256: string): Promise<number | null>;

  /**
   * When the file system last changed a file, in milliseconds since 1970; null for one that is not there. Programs that restore backups set the
   * time when a file was written, and nobody sets this one.
   */
  changedAt(sha256: string): Promise<number | null>;
}
