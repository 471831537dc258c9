import { readImageSize } from "../../lib/image-size.ts";
import { InvalidImage } from "./errors.ts";
import { pictureType } from "./picture-type.ts";

/** Checks that the bytes are a picture within the limits. It is not decoded: only its header is read. Throws InvalidImage. */
export async function checkPicture(content: Uint8Array, limits: { bytes: number; pixels: number }): Promise<void> {
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
