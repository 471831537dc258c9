import { DeletedMeanwhile } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nameBlobs, publishBlob } from "../blobs/name-blob.ts";
import { updateOwner } from "../owners/queries.ts";
import { checkPicture } from "./read-picture.ts";

/** Gives an owner a picture; the one before goes when nobody else has it. Throws InvalidImage, and DeletedMeanwhile. */
export async function setAvatar(forge: Forge, owner: { id: number; name: string }, content: Uint8Array): Promise<void> {
  const { avatar_limit_bytes: bytes, avatar_limit_pixels: pixels } = forge.config.users;
  checkPicture(content, { bytes, pixels });
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  await using blob = await forge.blobs.stage(sha256, once(content), { bytes });
  await nameBlobs(forge.database.db, forge.blobs, [blob], async (tx) => {
    await publishBlob(tx, blob);
    if ((await updateOwner(tx, owner.id, { avatarSha256: Buffer.from(sha256, "hex") })) === null) {
      throw new DeletedMeanwhile("owner", owner.name);
    }
  });
}

/** Takes an owner's picture away: from then on one is drawn from the name. */
export async function removeAvatar(forge: Forge, ownerId: number): Promise<void> {
  await forge.database.db.transaction((tx) => updateOwner(tx, ownerId, { avatarSha256: null }));
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
