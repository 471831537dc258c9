import type { Doer } from "../../spine/doer.ts";
import { DeletedMeanwhile } from "../../spine/errors.ts";
import { namedOwner, type NamedOwner } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { updateOwner } from "../owners/queries.ts";
import type { Work } from "../../spine/work.ts";
import { publishPicture } from "./publish-picture.ts";

/** Gives an owner a picture; the one before goes when nobody else has it. Throws InvalidImage, and DeletedMeanwhile. */
export async function setAvatar(forge: Forge, doer: Doer, owner: NamedOwner, content: Uint8Array): Promise<void> {
  await publishPicture(forge, doer, content, (work, sha256) => setPicture(work, owner, sha256));
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
