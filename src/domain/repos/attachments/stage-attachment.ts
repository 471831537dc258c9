import type { StagedBlob } from "../../../blobs/blob-store.ts";
import type { Forge } from "../../spine/forge.ts";
import { kindBytes, tellFileKind, type FileKind } from "./file-kind.ts";

/** A file that came whole. Disposing removes it, unless it was published. */
export interface StagedAttachment extends AsyncDisposable {
  readonly blob: StagedBlob;
  readonly kind: FileKind;
}

/** Takes a file, which is hashed as it arrives. Throws what BlobStore.stage throws. */
export async function stageAttachment(
  { files, config }: Forge,
  content: AsyncIterable<Uint8Array>,
): Promise<StagedAttachment> {
  // As `forge.change` does, before anything is written.
  files.room.demand();
  const head = new Head();
  const blob = await files.blobs.stage(null, head.watch(content), { bytes: config.attachments.file_limit_bytes });
  const kind = await tellFileKind(head.bytes, head.bytes.length === blob.bytes);
  return { blob, kind, [Symbol.asyncDispose]: () => blob[Symbol.asyncDispose]() };
}

/** The first bytes of what goes by. */
class Head {
  readonly #buffer = new Uint8Array(kindBytes);
  #length = 0;

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  async *watch(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      const kept = chunk.subarray(0, kindBytes - this.#length);
      this.#buffer.set(kept, this.#length);
      this.#length += kept.length;
      yield chunk;
    }
  }
}
