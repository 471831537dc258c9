import type { FoundFile } from "../../domain/git/contents/content-reader.ts";
import { findContent } from "../../domain/git/lfs/find-content.ts";
import { parsePointer } from "../../domain/git/lfs/pointer.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { contentType, sniffedBytes } from "../../http/content-type.ts";
import type { Visit } from "../visit.ts";

/** What a page of a file is about. */
export interface ShownFile {
  readonly visit: Visit;
  readonly access: RepositoryAccess;
  readonly revision: Revision;
  readonly file: FoundFile;
}

/** The LFS object that a file names in place of its bytes. */
interface Pointed {
  readonly oid: string;
  readonly size: number;
  /** Whether the repository has it. */
  readonly isHere: boolean;
}

/** The bytes that a file stands for: its own, or those of its LFS object where the repository has that. */
export interface FileContent {
  readonly size: number;
  readonly pointer: Pointed | null;
  /** The media type that its first bytes say. */
  readonly type: string;
  /** The bytes from `start` up to `end`, or up to the end of the file. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Opens what a file or a symbolic link holds; null for a submodule, and for bytes that the repository lacks. */
export async function openFile(
  forge: Forge,
  { visit, access, revision, file }: ShownFile,
): Promise<FileContent | null> {
  const { oid, bytes, size } = file;
  if (size === null) {
    return null;
  }
  const pointer = forge.config.lfs.enabled && bytes !== null && file.type === "blob" ? parsePointer(bytes) : null;
  const stored = pointer === null ? null : await findContent(forge, access.repository.id, pointer.oid);
  const read = async (start: number, end: number): Promise<Uint8Array> => {
    if (stored !== null) {
      return stored.blob.slice(start, end).bytes();
    }
    if (bytes !== null) {
      return bytes.subarray(start, end);
    }
    const chunks: Uint8Array[] = [];
    const wanted = { oid, start, end, isHint: true };
    for await (const chunk of forge.git.engine.stream(revision.view, "readBlob", wanted, visit.request.signal)) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  const whole = stored?.size ?? size;
  return {
    size: whole,
    pointer: pointer === null ? null : { ...pointer, isHere: stored !== null },
    type: contentType(await read(0, sniffedBytes), whole),
    read,
  };
}
