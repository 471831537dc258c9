import { t } from "elysia";
import { nullable, oneOf } from "../common/schema.ts";
import { User } from "../users/schema.ts";

export const AddCollaboratorOption = t.Object(
  { permission: t.Optional(nullable(oneOf(["read", "write", "admin"], "write if absent"))) },
  { $id: "AddCollaboratorOption" },
);

export const RepoCollaboratorPermission = t.Object(
  {
    permission: t.String({ description: "none, read, write, admin or owner" }),
    role_name: t.String({ description: "The same" }),
    user: nullable(User),
  },
  { $id: "RepoCollaboratorPermission" },
);
