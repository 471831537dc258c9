import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";

/** How the bytes of an answer are compressed (RFC 9110, 8.4.1; zstd: RFC 9659). */
export type Coding = "zstd" | "gzip";

const gzipAsync = promisify(gzip);
const zstdAsync = promisify(zstdCompress);

/** Below this many bytes the answer fits into one packet as it is. */
export const leastCompressedBytes = 1024;

/** The coding that the client takes and that costs least; null: it takes neither. `;q=0` refuses one. */
export function codingOf(request: Request): Coding | null {
  const accepted = (request.headers.get("accept-encoding") ?? "").toLowerCase();
  const takes = (coding: Coding) => {
    const found = accepted.split(",").find((item) => item.split(";")[0]?.trim() === coding);
    return found !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(found);
  };
  return takes("zstd") ? "zstd" : takes("gzip") ? "gzip" : null;
}

/** Compresses at once and cheaply, for an answer that is made for one request. */
export function encodeNow(bytes: Uint8Array, coding: Coding): Uint8Array {
  return coding === "zstd"
    ? Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: 3 })
    : Bun.gzipSync(bytes as Uint8Array<ArrayBuffer>, { level: 3, library: "libdeflate" });
}

/** Compresses as far as it goes, away from the main thread, for what is sent many times. */
export function encodeBest(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  return coding === "zstd"
    ? zstdAsync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } })
    : gzipAsync(bytes, { level: 9 });
}
