import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./env.ts";

/**
 * For what can be made again: unpacked binaries, prepared database clusters. Apart from the rest of the configuration,
 * because an ephemeral server copies from it before that has been read.
 */
export function cacheDirectoryOf(environment: Environment): string {
  return join(environment.cacheDirectory ?? join(environment.home ?? tmpdir(), ".cache"), "stithy");
}
