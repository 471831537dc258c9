import { isLfsOid } from "./oid.ts";

/** The file that git stores in place of an LFS object. */
export interface LfsPointer {
  oid: string;
  /** Bytes. */
  size: number;
}

/** A pointer is shorter than this, in bytes. */
export const pointerLimitBytes = 1024;

const versions = new Set(["version https://git-lfs.github.com/spec/v1", "version https://hawser.github.com/spec/v1"]);

/**
 * Reads a pointer file; null for every other file. It is lines of a key, a space and a value: `version` first, then
 * `oid sha256:<hex>` and `size <bytes>`, with `ext-…` lines of extensions among them (Git LFS specification, The Pointer).
 */
export function parsePointer(content: Uint8Array): LfsPointer | null {
  if (content.length >= pointerLimitBytes) {
    return null;
  }
  const [version = "", ...lines] = Buffer.from(content).toString("utf8").split(/\r?\n/);
  if (!versions.has(version)) {
    return null;
  }
  const values = new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
  const [method, oid = ""] = (values.get("oid") ?? "").split(":");
  const size = values.get("size") ?? "";
  return method === "sha256" && isLfsOid(oid) && /^\d{1,15}$/.test(size) ? { oid, size: Number(size) } : null;
}
