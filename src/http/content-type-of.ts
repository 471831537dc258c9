import type { FoundFile } from "../domain/git/contents/content-reader.ts";
import type { Forge } from "../domain/spine/forge.ts";
import type { RepositoryView } from "../git/job/repository-view.ts";
import { contentType, sniffedBytes } from "./content-type.ts";

/** Returns the media type that a file of `size` bytes is served under, told from its first bytes. */
export async function contentTypeOf(
  forge: Forge,
  view: RepositoryView,
  { oid, bytes }: FoundFile,
  size: number,
): Promise<string> {
  return contentType(bytes?.subarray(0, sniffedBytes) ?? (await readHead(forge, view, oid)), size);
}

async function readHead(forge: Forge, view: RepositoryView, oid: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of forge.git.engine.stream(view, "readBlob", {
    oid,
    start: 0,
    end: sniffedBytes,
    isHint: true,
  })) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
