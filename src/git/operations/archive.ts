import { archive as makeArchive } from "../archive/archive.ts";
import type { ArchiveRequest } from "../archive/archive-request.ts";
import type { ByteSteps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export type ArchiveArgs = ArchiveRequest;

/** A tree as a tar or zip file. Throws MissingObject, CorruptObject, CorruptPack, PathNotInTree, PathTooLong. */
export function archive(repository: OpenRepository, args: ArchiveArgs): ByteSteps {
  return makeArchive(repository.odb, args);
}
