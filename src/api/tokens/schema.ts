import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";

export const AccessToken = t.Object(
  {
    id: integer(),
    name: t.String(),
    sha1: t.String({ description: "The token itself, only in the answer that creates it" }),
    token_last_eight: t.String(),
    scopes: t.Array(t.String()),
    created_at: dateTime(),
    last_used_at: nullable(dateTime("When it was last used, up to a minute behind")),
    expires_at: nullable(dateTime()),
    repositories: nullable(
      t.Array(t.String(), {
        description: "The only repositories that it is for, as owner/name; null: all that its user has access to",
      }),
    ),
  },
  { $id: "AccessToken" },
);

export const CreateAccessTokenOption = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 255, description: "Unique among the user's tokens" }),
    scopes: t.Optional(t.Array(t.String(), { description: "Such as read:repository, write:issue, all, public-only" })),
    expires_at: t.Optional(dateTime("When it stops working; never, if absent")),
    repositories: t.Optional(
      t.Array(t.String(), {
        description: "The only repositories that it is for, as owner/name; all that the user has access to, if absent",
      }),
    ),
  },
  { $id: "CreateAccessTokenOption" },
);
