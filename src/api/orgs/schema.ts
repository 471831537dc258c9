import { t } from "elysia";
import { visibilities } from "../../db/schema/owners.ts";
import { integer, oneOf } from "../common/schema.ts";

export const Organization = t.Object(
  {
    id: integer(),
    name: t.String(),
    username: t.String({ description: "The same as name, for older clients" }),
    full_name: t.String(),
    email: t.String({ description: "Shown to signed-in callers only" }),
    avatar_url: t.String(),
    description: t.String(),
    website: t.String(),
    location: t.String(),
    visibility: t.String({ description: "public, limited or private" }),
    repo_admin_change_team_access: t.Boolean(),
  },
  { $id: "Organization" },
);

export const CreateOrgOption = t.Object(
  {
    username: t.String({ minLength: 1, maxLength: 40 }),
    full_name: t.Optional(t.String({ maxLength: 100 })),
    email: t.Optional(t.String({ maxLength: 254 })),
    description: t.Optional(t.String({ maxLength: 255 })),
    website: t.Optional(t.String({ maxLength: 255 })),
    location: t.Optional(t.String({ maxLength: 50 })),
    visibility: t.Optional(oneOf(visibilities)),
    repo_admin_change_team_access: t.Optional(t.Boolean()),
  },
  { $id: "CreateOrgOption" },
);
