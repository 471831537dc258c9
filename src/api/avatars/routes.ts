import { removeAvatar, setAvatar } from "../../domain/identity/avatars/set-avatar.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done } from "../common/responses.ts";
import { decodePicture } from "./decode-picture.ts";
import { UpdateUserAvatarOption } from "./schema.ts";

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
        await setAvatar(forge, doer, doer.actor, decodePicture(body.image));
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
        await setAvatar(forge, doer, owner, decodePicture(body.image));
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
