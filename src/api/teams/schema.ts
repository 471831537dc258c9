import { t } from "elysia";
import { accessModes } from "../../db/schema/owners.ts";
import { integer, nullable, oneOf } from "../common/schema.ts";
import { Organization } from "../orgs/schema.ts";

const modeNames = Object.keys(accessModes) as [keyof typeof accessModes, ...(keyof typeof accessModes)[]];

export const Team = t.Object(
  {
    id: integer(),
    name: t.String(),
    description: t.String(),
    organization: nullable(Organization),
    includes_all_repositories: t.Boolean(),
    permission: oneOf(modeNames, "As it was given, else the highest access; none if no unit is opened"),
    units: t.Array(t.String(), { description: "What it gives access to, such as repo.code" }),
    units_map: t.Record(t.String(), t.String(), {
      description: "The access to each unit that it was given, also none",
    }),
    can_create_org_repo: t.Boolean(),
  },
  { $id: "Team" },
);

export const TeamSearchResults = t.Object({ ok: t.Boolean(), data: t.Array(Team) });

const rights = {
  permission: t.Optional(
    oneOf(["read", "write", "admin"], "In the units; admin: in all of them, and of the repositories themselves"),
  ),
  units: t.Optional(
    t.Array(t.String(), {
      description: "The units that it has the permission in, such as repo.code; absent: all",
      maxItems: 100,
    }),
  ),
  units_map: t.Optional(
    t.Record(t.String(), t.String(), {
      description: "From units to none, read or write; comes before units and permission",
      maxProperties: 100,
    }),
  ),
};

export const CreateTeamOption = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 255 }),
    description: t.Optional(t.String({ maxLength: 255 })),
    ...rights,
    includes_all_repositories: t.Optional(t.Boolean({ description: "Also those that are made later" })),
    can_create_org_repo: t.Optional(
      t.Boolean({ description: "Its members may create repositories in the organization" }),
    ),
  },
  { $id: "CreateTeamOption" },
);

export const EditTeamOption = t.Object(
  {
    name: t.String({ maxLength: 255, description: "Empty: as it is" }),
    description: t.Optional(nullable(t.String({ maxLength: 255 }))),
    ...rights,
    includes_all_repositories: t.Optional(nullable(t.Boolean({ description: "Also those that are made later" }))),
    can_create_org_repo: t.Optional(
      nullable(t.Boolean({ description: "Its members may create repositories in the organization" })),
    ),
  },
  { $id: "EditTeamOption" },
);
