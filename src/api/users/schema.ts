import { t } from "elysia";
import { dateTime, integer } from "../common/schema.ts";

export const User = t.Object(
  {
    id: integer(),
    login: t.String({ description: "The user's name" }),
    login_name: t.String({ description: "Name at an outside sign-in source" }),
    source_id: integer({ description: "The outside sign-in source; 0 for this server" }),
    full_name: t.String(),
    email: t.String({ format: "email" }),
    avatar_url: t.String(),
    html_url: t.String(),
    language: t.String(),
    is_admin: t.Boolean(),
    last_login: t.Optional(dateTime()),
    created: t.Optional(dateTime()),
    restricted: t.Boolean(),
    active: t.Boolean(),
    prohibit_login: t.Boolean(),
    location: t.String(),
    website: t.String(),
    description: t.String(),
    visibility: t.String({ description: "public, limited or private" }),
    pronouns: t.String(),
    followers_count: integer(),
    following_count: integer(),
    starred_repos_count: integer(),
  },
  { $id: "User" },
);
