import { defaultPatchLimits } from "../diff/patch-budget.ts";
import type { StreamPatchOptions } from "../diff/stream-patch.ts";
import { defaultPatch } from "../diff/write-file-patch.ts";

const defaults: StreamPatchOptions = { ...defaultPatch, renames: { copies: "none" }, limits: defaultPatchLimits };

/** What `git diff` does where nothing else is said. */
export function patchOptions(options: Partial<StreamPatchOptions> = {}): StreamPatchOptions {
  return { ...defaults, ...options };
}
