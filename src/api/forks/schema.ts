import { t } from "elysia";
import { nullable } from "../common/schema.ts";

export const CreateForkOption = t.Object(
  {
    name: t.Optional(nullable(t.String({ maxLength: 100, description: "Name of the fork; its parent's if absent" }))),
    organization: t.Optional(
      nullable(
        t.String({ maxLength: 100, description: "Name of the organization that will own it; oneself if absent" }),
      ),
    ),
  },
  { $id: "CreateForkOption" },
);
