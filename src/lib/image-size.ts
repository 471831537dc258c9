/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size that the header of an image says; null if it says none. The image is not decoded. */
export async function readImageSize(content: Uint8Array): Promise<ImageSize | null> {
  // A module for each format, which only a server that takes images needs.
  const { imageSize } = await import("image-size");
  try {
    const { width, height } = imageSize(content);
    return width >= 1 && height >= 1 ? { width, height } : null;
  } catch {
    return null;
  }
}
