import { publishBlob } from "../../git/blobs/publish-blob.ts";
import type { Doer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { readImageSize } from "../../../lib/image-size.ts";
import { InvalidImage } from "./errors.ts";
import { pictureType } from "./picture-type.ts";

/**
 * Stores a picture and has `refer` refer to it by its SHA-256, in one unit of work. The rules for pictures are the same
 * whatever they are of. Throws InvalidImage, and what `refer` throws.
 */
export async function publishPicture(
  forge: Forge,
  doer: Doer,
  content: Uint8Array,
  refer: (work: Work, sha256: Uint8Array) => Promise<void>,
): Promise<void> {
  const { avatar_limit_bytes: bytes, avatar_limit_pixels: pixels } = forge.config.users;
  await checkPicture(content, { bytes, pixels });
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  await using blob = await forge.files.blobs.stage(sha256, once(content), { bytes });
  await forge.change(doer, { blobs: [blob] }, async (work) => {
    await publishBlob(work.tx, blob);
    await refer(work, Buffer.from(sha256, "hex"));
  });
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Checks that the bytes are a picture within the limits. It is not decoded: only its header is read. Throws InvalidImage. */
async function checkPicture(content: Uint8Array, limits: { bytes: number; pixels: number }): Promise<void> {
  if (content.length > limits.bytes) {
    throw new InvalidImage(`image must have at most ${limits.bytes} bytes, not ${content.length}`);
  }
  if (pictureType(content) === null) {
    throw new InvalidImage("image must be a PNG, JPEG, GIF or WebP picture");
  }
  const size = await readImageSize(content);
  if (size === null) {
    throw new InvalidImage("image is damaged: its width and height cannot be read");
  }
  const { width, height } = size;
  if (width > limits.pixels || height > limits.pixels) {
    throw new InvalidImage(`image must be at most ${limits.pixels} pixels wide and high, not ${width} × ${height}`);
  }
}
