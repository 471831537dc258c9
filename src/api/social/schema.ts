import { t } from "elysia";
import { dateTime, integer } from "../common/schema.ts";

export const WatchInfo = t.Object(
  {
    subscribed: t.Boolean(),
    ignored: t.Boolean(),
    reason: t.Any({ description: "Always null" }),
    created_at: dateTime("Since when"),
    url: t.String(),
    repository_url: t.String(),
  },
  { $id: "WatchInfo" },
);

export const BlockedUser = t.Object(
  {
    block_id: integer({ description: "Id of the user who is blocked" }),
    created_at: dateTime("Since when"),
  },
  { $id: "BlockedUser" },
);
