import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";

export const Label = t.Object(
  {
    archived_at: nullable(dateTime("When it was archived; null while it is in use")),
    color: t.String({ description: "Six hexadecimal digits" }),
    description: t.String(),
    exclusive: t.Boolean({
      description: "An issue has one label at most of those whose names begin alike, up to the last slash",
    }),
    id: integer(),
    is_archived: t.Boolean(),
    name: t.String(),
    url: t.String(),
  },
  { $id: "Label" },
);
