import { t } from "elysia";
import { visibilities } from "../../db/schema/owners.ts";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";

const profile = {
  full_name: t.Optional(t.String({ maxLength: 100 })),
  password: t.Optional(t.String({ maxLength: 255 })),
  login_name: t.Optional(
    t.String({ maxLength: 255, description: "Name at an outside sign-in source; kept, and used for nothing here" }),
  ),
  source_id: t.Optional(integer({ description: "The outside sign-in source: 0, there are none" })),
  visibility: t.Optional(oneOf(["", ...visibilities])),
  must_change_password: t.Optional(t.Boolean({ description: "The password opens nothing but its own change" })),
  restricted: t.Optional(t.Boolean({ description: "They see only what they are given explicitly" })),
};

export const CreateUserOption = t.Object(
  {
    ...profile,
    username: t.String({ minLength: 1, maxLength: 40 }),
    email: t.String({ format: "email", maxLength: 254 }),
    created_at: t.Optional(nullable(dateTime("When the user was made elsewhere; absent: now"))),
    send_notify: t.Optional(t.Boolean({ description: "Tell them by mail, where the server can send any" })),
  },
  { $id: "CreateUserOption" },
);

export const EditUserOption = t.Object(
  {
    ...profile,
    email: t.Optional(
      t.String({ format: "email", maxLength: 254, description: "Becomes the primary address, and a verified one" }),
    ),
    active: t.Optional(t.Boolean({ description: "Who is not active cannot sign in" })),
    admin: t.Optional(t.Boolean({ description: "Site administrator" })),
    prohibit_login: t.Optional(t.Boolean({ description: "Suspended: no credential of theirs is accepted" })),
    max_repo_creation: t.Optional(
      integer({ description: "Most repositories of their own; -1: as many as the server allows" }),
    ),
    allow_create_organization: t.Optional(t.Boolean()),
    allow_git_hook: t.Optional(t.Boolean({ description: "Without effect: there are no hooks of git to allow" })),
    allow_import_local: t.Optional(
      t.Boolean({ description: "Without effect: nothing is imported from the server's own disk" }),
    ),
    description: t.Optional(t.String({ maxLength: 255 })),
    location: t.Optional(t.String({ maxLength: 50 })),
    pronouns: t.Optional(t.String({ maxLength: 50 })),
    website: t.Optional(t.String({ maxLength: 255 })),
  },
  { $id: "EditUserOption" },
);

export const RenameUserOption = t.Object(
  { new_username: t.String({ minLength: 1, maxLength: 40 }) },
  { $id: "RenameUserOption" },
);

export const Cron = t.Object(
  {
    name: t.String(),
    schedule: t.String(),
    next: dateTime("When it runs next; 1970: not by itself"),
    prev: dateTime("When it began to run last; 1970: never since the server started"),
    exec_times: integer({ description: "How often it ran since the server started" }),
  },
  { $id: "Cron" },
);
