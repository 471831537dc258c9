import { t } from "elysia";

export const UpdateUserAvatarOption = t.Object(
  { image: t.String({ description: "A PNG, JPEG, GIF or WebP picture, as base64" }) },
  { $id: "UpdateUserAvatarOption" },
);
