import { readImageSize } from "../../../lib/image-size.ts";

/** The kind of a file, as far as its first bytes tell. */
export interface FileKind {
  contentType: string;
  /** Pixels of an image whose header could be read. */
  width: number | null;
  height: number | null;
}

/** How many bytes at the start of a file decide its kind. The size of some images stands behind their metadata. */
export const kindBytes = 256 * 1024;
/** As many as the library looks at to tell most kinds. */
const typeBytes = 4100;

const octets = "application/octet-stream";
const text = "text/plain; charset=utf-8";

/** Images that browsers show and that can hold no program. SVG is not one of them. */
const safeImages: ReadonlySet<string> = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
]);

/** Tells the kind of a file by its content, never by its name. Markup of every kind, SVG and HTML too, is plain text. */
export async function tellFileKind(head: Uint8Array, isWhole: boolean): Promise<FileKind> {
  const found = await tellType(head.subarray(0, typeBytes));
  const isMarkup = found === null || /xml|html|^text\//.test(found);
  const contentType = isMarkup ? (isUtf8(head, isWhole) ? text : octets) : found;
  const size = safeImages.has(contentType) ? await readImageSize(head) : null;
  return { contentType, width: size?.width ?? null, height: size?.height ?? null };
}

/** Whether a browser may be asked to show a file: an image that holds no program, of known and bearable size. */
export function isShown({ contentType, width, height }: FileKind, limitPixels: number): boolean {
  return (
    safeImages.has(contentType) && width !== null && height !== null && width <= limitPixels && height <= limitPixels
  );
}

/**
 * Whether a file is one of the allowed kinds: endings of names (`.zip`), media types (`application/pdf`) and groups of them
 * (`image/*`). An empty list allows all.
 */
export function isAllowed(name: string, { contentType }: FileKind, allowed: readonly string[]): boolean {
  const [type = ""] = contentType.split(";");
  return (
    allowed.length === 0 ||
    allowed.some((entry) => {
      const wanted = entry.trim().toLowerCase();
      return wanted.startsWith(".")
        ? name.toLowerCase().endsWith(wanted)
        : wanted === "*/*" || wanted === type || (wanted.endsWith("/*") && type.startsWith(wanted.slice(0, -1)));
    })
  );
}

async function tellType(head: Uint8Array): Promise<string | null> {
  // Many modules, which only a server that takes files needs.
  const { fileTypeFromBuffer } = await import("file-type");
  try {
    return (await fileTypeFromBuffer(head))?.mime ?? null;
  } catch {
    // Damaged on purpose or by accident: it is of no kind that is known.
    return null;
  }
}

/** Whether the bytes are UTF-8 without NUL, apart from a character that the end of the part cuts off. */
function isUtf8(bytes: Uint8Array, isWhole: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    return !bytes.includes(0);
  } catch {
    return false;
  }
}
