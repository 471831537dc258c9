import { deflateSync } from "node:zlib";

/** Cells a side; the right half mirrors the left one. */
const cells = 5;
const cellPixels = 48;
const marginPixels = 24;
const side = cells * cellPixels + 2 * marginPixels;

/** A chunk of a PNG: length, type, data, CRC-32 of type and data (PNG specification, section 5.3). */
function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(Bun.hash.crc32(body), framed.length - 4);
  return framed;
}

/** A colour of middle lightness, in which every hue is readable on the light ground. */
function colour(hue: number): number[] {
  const [saturation, lightness] = [0.55, 0.5];
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const place = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Whether each cell is coloured, row by row. */
function pattern(digest: Uint8Array): boolean[][] {
  return Array.from({ length: cells }, (_, row) => {
    const left = [0, 1, 2].map((column) => ((digest[row * 3 + column] ?? 0) & 1) === 1);
    return [...left, left[1] ?? false, left[0] ?? false];
  });
}

/** A picture of 288 × 288 pixels that is the same for the same name, in any case: a PNG of two colours. */
export function identicon(name: string): Uint8Array {
  const digest = new Bun.CryptoHasher("sha256").update(name.toLowerCase()).digest();
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit a pixel, with a palette.
  header.set([1, 3, 0, 0, 0], 8);
  const hue = (((digest[30] ?? 0) << 8) | (digest[31] ?? 0)) % 360;
  const palette = Buffer.from([240, 240, 240, ...colour(hue)]);
  const lines = pattern(digest).map((row) => line(row));
  const empty = Buffer.alloc(1 + side / 8);
  const margin = Array.from({ length: marginPixels }, () => empty);
  const image = Buffer.concat([
    ...margin,
    ...lines.flatMap((bytes) => Array.from({ length: cellPixels }, () => bytes)),
    ...margin,
  ]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(image)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A line of pixels: the filter "none", then margin, cells, margin, all of whole bytes. */
function line(row: readonly boolean[]): Buffer {
  const bytes = Buffer.alloc(1 + side / 8);
  row.forEach((coloured, column) => {
    const start = 1 + (marginPixels + column * cellPixels) / 8;
    bytes.fill(coloured ? 0xff : 0, start, start + cellPixels / 8);
  });
  return bytes;
}
