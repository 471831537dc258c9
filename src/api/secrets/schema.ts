import { t } from "elysia";
import { longestSecret } from "../../domain/repos/secrets/secret-name.ts";
import { dateTime, integer } from "../common/schema.ts";

export const Secret = t.Object(
  {
    created_at: dateTime("When it was first set"),
    description: t.String(),
    name: t.String({ description: "In capitals" }),
  },
  { $id: "Secret" },
);

export const ActionVariable = t.Object(
  {
    data: t.String({ description: "The value" }),
    description: t.String(),
    name: t.String({ description: "In capitals" }),
    owner_id: integer({ description: "Id of the user or organization; 0: it is a repository's" }),
    repo_id: integer({ description: "Id of the repository; 0: it is not a repository's" }),
  },
  { $id: "ActionVariable" },
);

/** Its length is checked by the use case: a message about the schema would quote it. */
const value = t.String({ description: `The value, of 1 to ${longestSecret} characters` });

const description = t.Optional(t.String({ description: "What it is for; absent: as it is", maxLength: 4096 }));

export const CreateOrUpdateSecretOption = t.Object({ data: value, description }, { $id: "CreateOrUpdateSecretOption" });
export const CreateVariableOption = t.Object({ value, description }, { $id: "CreateVariableOption" });
export const UpdateVariableOption = t.Object(
  { name: t.Optional(t.String({ description: "Another name; empty: as it is" })), value, description },
  { $id: "UpdateVariableOption" },
);

export const secretName = t.String({ description: "Name of the secret, in any case" });
export const variableName = t.String({ description: "Name of the variable, in any case" });
