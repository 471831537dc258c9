import { t } from "elysia";
import { dateTime, integer, oneOf } from "../common/schema.ts";

export const User = t.Object(
  {
    id: integer(),
    login: t.String({ description: "The user's name" }),
    username: t.String({ description: "The same, for clients of Gitea's first versions" }),
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

export const Email = t.Object(
  {
    email: t.String({ format: "email" }),
    verified: t.Boolean({ description: "It is known to be the user's" }),
    primary: t.Boolean(),
    user_id: integer(),
    username: t.String(),
  },
  { $id: "Email" },
);

const emails = t.Optional(t.Array(t.String({ maxLength: 254 }), { maxItems: 100 }));
export const CreateEmailOption = t.Object({ emails }, { $id: "CreateEmailOption" });
export const DeleteEmailOption = t.Object({ emails }, { $id: "DeleteEmailOption" });

const settings = {
  full_name: t.String({ maxLength: 100 }),
  website: t.String({ maxLength: 255 }),
  description: t.String({ maxLength: 255 }),
  location: t.String({ maxLength: 50 }),
  pronouns: t.String({ maxLength: 50 }),
  language: t.String({ maxLength: 40 }),
  theme: t.String({ maxLength: 40, description: "Kept for clients; the pages here have one look" }),
  enable_repo_unit_hints: t.Boolean({ description: "Kept for clients" }),
  hide_email: t.Boolean({
    description: "Others, and the commits that the server makes, get a stand-in for the e-mail address",
  }),
  hide_pronouns: t.Boolean({ description: "Shown to signed-in callers only" }),
  hide_activity: t.Boolean({
    description: "What the user does is shown to nobody but themselves and site administrators",
  }),
};
const diffViewStyle = "Kept for clients: how they show differences";

export const UserSettings = t.Object(
  { ...settings, diff_view_style: t.String({ description: diffViewStyle }) },
  { $id: "UserSettings" },
);
export const UserSettingsOptions = t.Partial(
  t.Object({ ...settings, diff_view_style: oneOf(["", "unified", "split"], diffViewStyle) }),
  { $id: "UserSettingsOptions" },
);
