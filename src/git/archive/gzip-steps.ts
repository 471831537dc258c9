import zlib from "node:zlib";
import type { ByteSteps } from "../job/job.ts";
import { DeflateSteps } from "./deflate-steps.ts";

/** Magic, deflate, no flags, no time, no hint about the level, made on Unix (RFC 1952 section 2.3). */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);

/** Compresses what a stream yields into one gzip file. */
export function* gzipSteps(stream: ByteSteps, level: number): ByteSteps {
  const deflate = new DeflateSteps(level);
  let checksum = 0;
  let size = 0;
  yield header;
  for (const bytes of stream) {
    if (bytes === undefined) {
      yield;
      continue;
    }
    checksum = zlib.crc32(bytes, checksum);
    size += bytes.length;
    yield* deflate.write(bytes);
  }
  yield* deflate.finish();
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  yield trailer;
}
