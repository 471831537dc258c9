import type { Doer } from "../doer.ts";
import { DeletedMeanwhile } from "../errors.ts";
import { namedOwner, type NamedOwner } from "../events.ts";
import type { Forge } from "../forge.ts";
import { publishBlob } from "../blobs/publish-blob.ts";
import { updateOwner } from "../owners/queries.ts";
import type { Work } from "../work.ts";
import { checkPicture } from "./read-picture.ts";

/** Gives an owner a picture; the one before goes when nobody else has it. Throws InvalidImage, and DeletedMeanwhile. */
export async function setAvatar(forge: Forge, doer: Doer, owner: NamedOwner, content: Uint8Array): Promise<void> {
  const { avatar_limit_bytes: bytes, avatar_limit_pixels: pixels } = forge.config.users;
  checkPicture(content, { bytes, pixels });
  const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  await using blob = await forge.files.blobs.stage(sha256, once(content), { bytes });
  await forge.change(doer, { blobs: [blob] }, async (work) => {
    await publishBlob(work.tx, blob);
    await setPicture(work, owner, Buffer.from(sha256, "hex"));
  });
}

/** Takes an owner's picture away: from then on one is drawn from the name. Throws DeletedMeanwhile. */
export async function removeAvatar(work: Work, owner: NamedOwner): Promise<void> {
  await setPicture(work, owner, null);
}

async function setPicture(work: Work, owner: NamedOwner, avatarSha256: Uint8Array | null): Promise<void> {
  if ((await updateOwner(work.tx, owner.id, { avatarSha256 })) === null) {
    throw new DeletedMeanwhile("owner", owner.name);
  }
  work.tell({ kind: "avatar.changed", owner: namedOwner(owner) });
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
