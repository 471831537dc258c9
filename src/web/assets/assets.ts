import { codingOf, encodeBest, type Coding } from "../../http/content-coding.ts";
import { sprite } from "./icons.ts";
import { markFile } from "./mark.ts";
import { findScript, scriptFiles, scriptsAreKept, type ScriptName } from "./scripts.ts";
import { style } from "./style.ts";

/** A file of the pages that is in the executable. Its address holds a hash of its text, so what it names never changes. */
class Asset {
  private readonly encoded = new Map<Coding | null, Promise<Uint8Array>>();

  constructor(
    readonly address: string,
    private readonly contentType: string,
    private readonly isKept: boolean,
    private readonly read: () => string,
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
    const bytes = Buffer.from(this.read());
    return coding === null ? bytes : encodeBest(bytes, coding);
  }
}

function kept(name: string, extension: string, contentType: string, text: string): Asset {
  const address = `/assets/${name}-${Bun.hash.xxHash3(text).toString(36)}.${extension}`;
  return new Asset(address, contentType, true, () => text);
}

const styleAsset = kept("stithy", "css", "text/css; charset=utf-8", style);
const spriteAsset = kept("icons", "svg", "image/svg+xml", sprite);
const markAsset = kept("mark", "svg", "image/svg+xml", markFile);

const assets = new Map([styleAsset, spriteAsset, markAsset].map((asset) => [asset.address, asset]));
export const styleAddress = styleAsset.address;
export const spriteAddress = spriteAsset.address;
export const markAddress = markAsset.address;

/** The address of a script. */
export function scriptAddress(name: ScriptName): string {
  return `/assets/${scriptFiles[name]}`;
}

/** Answers a request for a file of the pages, by its name. */
export async function assetResponse(request: Request, file: string): Promise<Response> {
  const address = `/assets/${file}`;
  const known = assets.get(address);
  const script = known === undefined ? await findScript(file) : null;
  if (known === undefined && script === null) {
    return new Response("There is no such file\n", { status: 404, headers: { "content-type": "text/plain" } });
  }
  const asset = known ?? new Asset(address, "text/javascript; charset=utf-8", scriptsAreKept, () => script ?? "");
  assets.set(address, asset);
  return asset.answer(request);
}
