import { codingOf, encodeBest, type Coding } from "../../http/content-coding.ts";
import { sprite } from "./icons.ts";
import { readScript, scriptVersion } from "./script.ts";
import { style } from "./style.ts";

/** A file of the pages that is in the executable. Its address holds a hash of its text, so what it names never changes. */
class Asset {
  private readonly encoded = new Map<Coding | null, Promise<Uint8Array>>();

  constructor(
    readonly address: string,
    private readonly contentType: string,
    private readonly isKept: boolean,
    private readonly read: () => string | Promise<string>,
  ) {}

  readonly answer = async (request: Request): Promise<Response> => {
    const coding = codingOf(request);
    let bytes = this.encoded.get(coding);
    if (bytes === undefined) {
      bytes = this.compress(coding);
      this.encoded.set(coding, bytes);
    }
    return new Response((await bytes) as Uint8Array<ArrayBuffer>, {
      headers: {
        "content-type": this.contentType,
        "cache-control": this.isKept ? "public, max-age=31536000, immutable" : "no-cache",
        "x-content-type-options": "nosniff",
        vary: "Accept-Encoding",
        ...(coding === null ? {} : { "content-encoding": coding }),
      },
    });
  };

  private async compress(coding: Coding | null): Promise<Uint8Array> {
    const bytes = Buffer.from(await this.read());
    return coding === null ? bytes : encodeBest(bytes, coding);
  }
}

function kept(name: string, extension: string, contentType: string, text: string): Asset {
  const address = `/assets/${name}-${Bun.hash.xxHash3(text).toString(36)}.${extension}`;
  return new Asset(address, contentType, true, () => text);
}

const styleAsset = kept("stithy", "css", "text/css; charset=utf-8", style);
const spriteAsset = kept("icons", "svg", "image/svg+xml", sprite);
const scriptAsset = new Asset(
  `/assets/stithy-${scriptVersion ?? "source"}.js`,
  "text/javascript; charset=utf-8",
  scriptVersion !== null,
  readScript,
);

export const assets: readonly Asset[] = [styleAsset, spriteAsset, scriptAsset];
export const styleAddress = styleAsset.address;
export const spriteAddress = spriteAsset.address;
export const scriptAddress = scriptAsset.address;
