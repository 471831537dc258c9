import { t } from "elysia";
import { activityKinds } from "../../db/schema/social.ts";
import { Comment } from "../comments/schema.ts";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";

export const Activity = t.Object(
  {
    id: integer(),
    user_id: integer({ description: "Id of whose feed this is" }),
    op_type: oneOf(activityKinds, "What was done"),
    act_user_id: integer(),
    act_user: nullable(User),
    repo_id: integer(),
    repo: nullable(Repository),
    comment_id: integer({ description: "0 where it is not about a comment" }),
    comment: nullable(Comment),
    ref_name: t.String({ description: "Full name of the branch or tag, or empty" }),
    is_private: t.Boolean({ description: "The repository is not public" }),
    content: t.String({ description: "What belongs to this kind: of commits that were pushed, JSON with them" }),
    created: dateTime(),
  },
  { $id: "Activity" },
);

export const UserHeatmapData = t.Object(
  {
    timestamp: integer({ description: "Seconds since 1970: the beginning of a quarter of an hour" }),
    contributions: integer(),
  },
  { $id: "UserHeatmapData" },
);
