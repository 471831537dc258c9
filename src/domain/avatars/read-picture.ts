import { imageSize } from "image-size";
import { InvalidImage } from "./errors.ts";
import { pictureType } from "./picture-type.ts";

/** Checks that the bytes are a picture within the limits. It is not decoded: only its header is read. Throws InvalidImage. */
export function checkPicture(content: Uint8Array, limits: { bytes: number; pixels: number }): void {
  if (content.length > limits.bytes) {
    throw new InvalidImage(`image must have at most ${limits.bytes} bytes, not ${content.length}`);
  }
  if (pictureType(content) === null) {
    throw new InvalidImage("image must be a PNG, JPEG, GIF or WebP picture");
  }
  const { width, height } = sizeOf(content);
  if (!(width >= 1 && height >= 1)) {
    throw new InvalidImage("image has no width or no height");
  }
  if (width > limits.pixels || height > limits.pixels) {
    throw new InvalidImage(`image must be at most ${limits.pixels} pixels wide and high, not ${width} × ${height}`);
  }
}

function sizeOf(content: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(content);
  } catch {
    throw new InvalidImage("image is damaged: its width and height cannot be read");
  }
}
