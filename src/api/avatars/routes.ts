import { removeAvatar, setAvatar } from "../../domain/avatars/set-avatar.ts";
import { InvalidImage } from "../../domain/avatars/errors.ts";
import { decodeContent } from "../../domain/contents/decode-content.ts";
import { InvalidInput, messageOf } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done } from "../common/responses.ts";
import { UpdateUserAvatarOption } from "./schema.ts";

/** The bytes of base64. Throws InvalidInput where there are none; InvalidImage, as for whatever else is wrong with a picture. */
function decode(image: string | undefined): Uint8Array {
  if (!image) {
    throw new InvalidInput("image is required", "image");
  }
  try {
    return decodeContent(image, "image");
  } catch (error) {
    throw error instanceof InvalidInput ? new InvalidImage(messageOf(error)) : error;
  }
}

/** The pictures of users and organizations. */
export function avatarRoutes({ forge, group }: Api) {
  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .post(
      "/user/avatar",
      {
        operationId: "userUpdateAvatar",
        summary: "Set one's own picture",
        body: UpdateUserAvatarOption,
        responses: done,
      },
      async ({ doer, body }) => {
        await setAvatar(forge, doer, doer.actor, decode(body.image));
        return empty();
      },
    )
    .delete(
      "/user/avatar",
      {
        operationId: "userDeleteAvatar",
        summary: "Remove one's own picture",
        description: "From then on it is drawn from the name.",
        responses: done,
      },
      async ({ doer }) => {
        await forge.change(doer, (work) => removeAvatar(work, doer.actor));
        return empty();
      },
    )
    .post(
      "/orgs/:org/avatar",
      {
        operationId: "orgUpdateAvatar",
        summary: "Set the picture of an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        body: UpdateUserAvatarOption,
        responses: done,
      },
      async ({ doer, owner: { owner }, body }) => {
        await setAvatar(forge, doer, owner, decode(body.image));
        return empty();
      },
    )
    .delete(
      "/orgs/:org/avatar",
      {
        operationId: "orgDeleteAvatar",
        summary: "Remove the picture of an organization",
        description: "From then on it is drawn from the name.",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: done,
      },
      async ({ doer, owner: { owner } }) => {
        await forge.change(doer, (work) => removeAvatar(work, owner));
        return empty();
      },
    );
}
