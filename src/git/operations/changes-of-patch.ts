import type { FileChange } from "../edit/apply-changes.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import { parsePatch } from "../patch/parse-patch.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ChangesOfPatchArgs {
  /** hexadecimal oid of the commit whose files are patched; null for none */
  readonly commit: string | null;
  /** in the unified format, with or without git's headers */
  readonly patch: Uint8Array;
}

/**
 * Applies a patch to the files of a commit and returns the changes. Throws PatchRefused, MissingObject, CorruptObject,
 * CorruptPack.
 */
export function* changesOfPatch({ odb }: OpenRepository, args: ChangesOfPatchArgs): Steps<readonly FileChange[]> {
  return yield* applyPatch(odb, args.commit, parsePatch(args.patch));
}
