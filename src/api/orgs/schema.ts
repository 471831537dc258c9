import { t } from "elysia";
import { visibilities } from "../../db/schema/owners.ts";
import { integer, nullable, oneOf } from "../common/schema.ts";

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

const described = {
  full_name: t.Optional(t.String({ maxLength: 100 })),
  description: t.Optional(t.String({ maxLength: 255 })),
  website: t.Optional(t.String({ maxLength: 255 })),
  location: t.Optional(t.String({ maxLength: 50 })),
};

export const CreateOrgOption = t.Object(
  {
    ...described,
    username: t.String({ minLength: 1, maxLength: 40 }),
    email: t.Optional(t.String({ maxLength: 254 })),
    visibility: t.Optional(oneOf(visibilities)),
    repo_admin_change_team_access: t.Optional(
      t.Boolean({ description: "Administrators of a repository may give it to teams" }),
    ),
  },
  { $id: "CreateOrgOption" },
);

export const EditOrgOption = t.Object(
  {
    ...described,
    email: t.Optional(nullable(t.String({ maxLength: 254, description: "Empty: none" }))),
    visibility: t.Optional(oneOf(visibilities)),
    repo_admin_change_team_access: t.Optional(
      nullable(t.Boolean({ description: "Administrators of a repository may give it to teams" })),
    ),
  },
  { $id: "EditOrgOption" },
);

export const RenameOrgOption = t.Object(
  { new_name: t.String({ minLength: 1, maxLength: 40 }) },
  { $id: "RenameOrgOption" },
);

export const OrganizationPermissions = t.Object(
  {
    is_owner: t.Boolean(),
    is_admin: t.Boolean({ description: "A team of the user administers its repositories" }),
    can_write: t.Boolean(),
    can_read: t.Boolean(),
    can_create_repository: t.Boolean(),
  },
  { $id: "OrganizationPermissions" },
);
