import { defaultPatchLimits } from "../diff/patch-budget.ts";
import type { StreamPatchOptions } from "../diff/stream-patch.ts";
import { defaultPatch } from "../diff/write-file-patch.ts";

const defaults: StreamPatchOptions = { ...defaultPatch, renames: { copies: "none" }, limits: defaultPatchLimits };

/** Fills in the defaults of `git diff`. */
export function patchOptions(options: Partial<StreamPatchOptions> = {}): StreamPatchOptions {
  return { ...defaults, ...options };
}
