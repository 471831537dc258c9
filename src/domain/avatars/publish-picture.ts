import { publishBlob } from "../blobs/publish-blob.ts";
import type { Doer } from "../doer.ts";
import type { Forge } from "../forge.ts";
import type { Work } from "../work.ts";
import { checkPicture } from "./read-picture.ts";

/**
 * Stores a picture and has `refer` refer to it by its SHA-256, in one unit of work. The rules for pictures are the same
 * whatever they are of. Throws InvalidImage, and what `refer` throws.
 */
export async function publishPicture(
  forge: Forge,
  doer: Doer,
  content: Uint8Array,
  refer: (work: Work, sha256: Uint8Array) => Promise<void>,
): Promise<void> {
  const { avatar_limit_bytes: bytes, avatar_limit_pixels: pixels } = forge.config.users;
  await checkPicture(content, { bytes, pixels });
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  await using blob = await forge.files.blobs.stage(sha256, once(content), { bytes });
  await forge.change(doer, { blobs: [blob] }, async (work) => {
    await publishBlob(work.tx, blob);
    await refer(work, Buffer.from(sha256, "hex"));
  });
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
