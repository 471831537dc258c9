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
    permission: oneOf(modeNames, "The highest access that it gives"),
    units: t.Array(t.String(), { description: "What it gives access to, such as repo.code" }),
    units_map: t.Record(t.String(), t.String(), { description: "The access to each unit" }),
    can_create_org_repo: t.Boolean(),
  },
  { $id: "Team" },
);
