import { InvalidImage } from "../../domain/identity/avatars/errors.ts";
import { decodeContent } from "../../domain/git/contents/decode-content.ts";
import { InvalidInput, messageOf } from "../../lib/errors.ts";

/** The bytes of base64. Throws InvalidInput where there are none; InvalidImage, as for whatever else is wrong with a picture. */
export function decodePicture(image: string | undefined): Uint8Array {
  if (!image) {
    throw new InvalidInput("image is required", "image");
  }
  try {
    return decodeContent(image, "image");
  } catch (error) {
    throw error instanceof InvalidInput ? new InvalidImage(messageOf(error)) : error;
  }
}
