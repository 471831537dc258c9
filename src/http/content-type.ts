/** How many bytes at the start of a file decide its media type. */
export const sniffedBytes = 4096;

const octets = "application/octet-stream";

/** Images, sounds and films that browsers show and that can hold no program, by how they begin. SVG is not one of them: it is served as text. */
const media: readonly { type: string; begins: readonly [at: number, bytes: string][] }[] = [
  { type: "image/png", begins: [[0, "\x89PNG\r\n\x1a\n"]] },
  { type: "image/jpeg", begins: [[0, "\xff\xd8\xff"]] },
  { type: "image/gif", begins: [[0, "GIF8"]] },
  {
    type: "image/webp",
    begins: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  { type: "image/avif", begins: [[4, "ftypavif"]] },
  {
    type: "image/bmp",
    begins: [
      [0, "BM"],
      [6, "\0\0\0\0"],
    ],
  },
  { type: "image/x-icon", begins: [[0, "\0\0\x01\0"]] },
  { type: "video/mp4", begins: [[4, "ftypisom"]] },
  { type: "video/mp4", begins: [[4, "ftypmp4"]] },
  { type: "video/mp4", begins: [[4, "ftypavc1"]] },
  { type: "video/mp4", begins: [[4, "ftypM4V"]] },
  { type: "video/quicktime", begins: [[4, "ftypqt"]] },
  { type: "video/webm", begins: [[0, "\x1a\x45\xdf\xa3"]] },
  { type: "audio/mp4", begins: [[4, "ftypM4A"]] },
  { type: "audio/mpeg", begins: [[0, "ID3"]] },
  { type: "audio/mpeg", begins: [[0, "\xff\xfb"]] },
  { type: "audio/ogg", begins: [[0, "OggS"]] },
  { type: "audio/flac", begins: [[0, "fLaC"]] },
  {
    type: "audio/wav",
    begins: [
      [0, "RIFF"],
      [8, "WAVE"],
    ],
  },
];

function hasAt(bytes: Uint8Array, at: number, text: string): boolean {
  return (
    bytes.length >= at + text.length &&
    [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0))
  );
}

/** Whether the bytes are UTF-8, apart from a character that the end of the part cuts off. */
function isUtf8(bytes: Uint8Array, whole: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole });
    return true;
  } catch {
    return false;
  }
}

/**
 * The media type to serve a file under, told from its first bytes, never from its name: text is plain text whatever it
 * says (HTML and SVG too), images that hold no program are images, everything else is bytes.
 */
export function contentType(head: Uint8Array, size: number): string {
  const found = media.find(({ begins }) => begins.every(([at, text]) => hasAt(head, at, text)));
  if (found !== undefined) {
    return found.type;
  }
  if (head.includes(0)) {
    return octets;
  }
  return isUtf8(head, head.length >= size)
    ? "text/plain; charset=utf-8"
    : head.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x1b))
      ? octets
      : "text/plain";
}

/** How a file is offered: shown when it is text or an image, else saved under its name (RFC 6266, RFC 8187). */
export function contentDisposition(type: string, name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type === octets ? "attachment" : "inline"}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
