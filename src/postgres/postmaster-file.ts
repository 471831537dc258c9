import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The fields of `postmaster.pid`, which a running server writes into its cluster. */
export interface PostmasterFile {
  readonly pid: number;
  readonly ready: boolean;
  /** The whole text. */
  readonly text: string;
}

/**
 * Reads `postmaster.pid`: a line each with pid, data directory, start time, port, socket directory, address,
 * shared memory key and status, the later ones added while the server starts.
 */
export async function findPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  try {
    const text = await readFile(postmasterFilePath(cluster), "utf8");
    const lines = text.split("\n");
    const pid = Number(lines[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, ready: lines[7]?.trim() === "ready", text } : null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return null;
    }
    throw error;
  }
}

export function postmasterFilePath(cluster: string): string {
  return join(cluster, "postmaster.pid");
}
