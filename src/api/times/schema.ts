import { t } from "elysia";
import { mostSeconds } from "../../domain/work/times/track-time.ts";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { Issue } from "../issues/schema.ts";

export const TrackedTime = t.Object(
  {
    created: dateTime(),
    id: integer(),
    issue: nullable(Issue),
    issue_id: integer(),
    time: integer({ description: "Seconds" }),
    user_id: integer({ description: "0 where the user is gone, or unknown to the caller" }),
    user_name: t.String({ description: "Empty likewise" }),
  },
  { $id: "TrackedTime" },
);

export const AddTimeOption = t.Object(
  {
    time: integer({ minimum: 1, maximum: mostSeconds, description: "Seconds" }),
    created: t.Optional(nullable(dateTime("When it was spent; now if absent"))),
    user_name: t.Optional(
      nullable(t.String({ description: "Who spent it: somebody else for administrators of the repository" })),
    ),
  },
  { $id: "AddTimeOption" },
);

export const StopWatch = t.Object(
  {
    created: dateTime("When it was started"),
    duration: t.String({ description: "How long it has been running, in words" }),
    issue_index: integer({ description: "Number of the issue" }),
    issue_title: t.String(),
    repo_name: t.String(),
    repo_owner_name: t.String(),
    seconds: integer({ description: "How long it has been running" }),
  },
  { $id: "StopWatch" },
);
