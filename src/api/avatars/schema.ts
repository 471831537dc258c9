import { t } from "elysia";

export const UpdateUserAvatarOption = t.Object(
  { image: t.Optional(t.String({ description: "A PNG, JPEG, GIF or WebP picture, as base64; needed" })) },
  { $id: "UpdateUserAvatarOption" },
);

export const UpdateRepoAvatarOption = t.Object(
  { image: t.Optional(t.String({ description: "A PNG, JPEG, GIF or WebP picture, as base64; needed" })) },
  { $id: "UpdateRepoAvatarOption" },
);
