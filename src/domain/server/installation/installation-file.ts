import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileDurably, writeFileUnsynced } from "../../../lib/files.ts";
import { UnreadableInstallation } from "./errors.ts";

/**
 * `<data>/installation.json`: the installation that a data directory belongs to. It is written as `pending` before the
 * database learns the id, and without that word afterwards, so that a crash in between is told from a database that is
 * not the directory's.
 */
export interface InstallationFile {
  /** A UUID, the same as in the database. */
  id: string;
  /** Where it was made, `<host>:<data directory>`. */
  name: string;
  /** True until the database has the id. */
  pending?: boolean;
}

const fileName = "installation.json";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The installation of a data directory; null where it has none. Throws UnreadableInstallation. */
export async function readInstallationFile(directory: string): Promise<InstallationFile | null> {
  const path = join(directory, fileName);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") {
      return null;
    }
    throw error;
  }
  try {
    const { id, name, pending } = JSON.parse(text) as Partial<Record<keyof InstallationFile, unknown>>;
    if (typeof id === "string" && uuid.test(id)) {
      return { id, name: String(name), ...(pending === true ? { pending } : {}) };
    }
  } catch {
    // Reported below.
  }
  throw new UnreadableInstallation(path);
}

/** Writes it whole. `durable`: it survives a power cut when this resolves. */
export async function writeInstallationFile(
  directory: string,
  { id, name, pending }: InstallationFile,
  durable: boolean,
): Promise<void> {
  const text = `${JSON.stringify({ id, name, ...(pending === true ? { pending } : {}) }, null, 2)}\n`;
  await (durable ? writeFileDurably : writeFileUnsynced)(join(directory, fileName), text, 0o600);
}

/** Whether files lie in the stores of a data directory. */
export async function hasStoredFiles(directory: string): Promise<boolean> {
  for (const store of ["packs", "blobs"]) {
    for (const shard of await namesIn(join(directory, store))) {
      if ((await namesIn(join(directory, store, shard))).length > 0) {
        return true;
      }
    }
  }
  return false;
}

/** Empty for a path that is missing, or no directory. */
async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch((error: unknown) => {
    if (["ENOENT", "ENOTDIR"].includes(String((error as { code?: unknown }).code))) {
      return [];
    }
    throw error;
  });
}
