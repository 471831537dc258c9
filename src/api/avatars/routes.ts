import { Elysia, t } from "elysia";
import { removeAvatar, setAvatar } from "../../domain/avatars/set-avatar.ts";
import { InvalidImage } from "../../domain/avatars/errors.ts";
import { decodeContent } from "../../domain/contents/decode-content.ts";
import { InvalidInput, messageOf } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { badRequest, done, forbidden, invalid, notFound, signInNeeded } from "../common/responses.ts";
import { UpdateUserAvatarOption } from "./schema.ts";

const ofUser = { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" }, signedIn: true } as const;
const ofOrganization = {
  tag: "organization",
  scopes: ["organization"],
  may: { on: "organization", do: "manage" },
  signedIn: true,
  params: t.Object({ org: t.String({ description: "Name of the organization" }) }),
} as const;

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
export function avatarRoutes({ forge, endpoint }: Api) {
  return new Elysia()
    .post(
      "/user/avatar",
      ...endpoint(
        {
          ...ofUser,
          operationId: "userUpdateAvatar",
          summary: "Set one's own picture",
          body: UpdateUserAvatarOption,
          responses: { ...done, ...badRequest, ...signInNeeded, ...forbidden, ...invalid },
        },
        async ({ actor, body }) => {
          await setAvatar(forge, actor, decode(body.image));
          return empty();
        },
      ),
    )
    .delete(
      "/user/avatar",
      ...endpoint(
        {
          ...ofUser,
          operationId: "userDeleteAvatar",
          summary: "Remove one's own picture",
          description: "From then on it is drawn from the name.",
          responses: { ...done, ...signInNeeded, ...forbidden },
        },
        async ({ actor }) => {
          await removeAvatar(forge, actor.id);
          return empty();
        },
      ),
    )
    .post(
      "/orgs/:org/avatar",
      ...endpoint(
        {
          ...ofOrganization,
          operationId: "orgUpdateAvatar",
          summary: "Set the picture of an organization",
          body: UpdateUserAvatarOption,
          responses: { ...done, ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ owner: { owner }, body }) => {
          await setAvatar(forge, owner, decode(body.image));
          return empty();
        },
      ),
    )
    .delete(
      "/orgs/:org/avatar",
      ...endpoint(
        {
          ...ofOrganization,
          operationId: "orgDeleteAvatar",
          summary: "Remove the picture of an organization",
          description: "From then on it is drawn from the name.",
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ owner: { owner } }) => {
          await removeAvatar(forge, owner.id);
          return empty();
        },
      ),
    );
}
