import { t } from "elysia";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { Repository } from "../repos/schema.ts";

const NotificationSubject = t.Object(
  {
    html_url: t.String(),
    latest_comment_html_url: t.String({ description: "Empty where there is none" }),
    latest_comment_url: t.String({ description: "Empty where there is none" }),
    state: oneOf(["open", "closed", ""], "Empty for a repository"),
    title: t.String(),
    type: oneOf(["Issue", "Pull", "Repository"]),
    url: t.String(),
  },
  { $id: "NotificationSubject" },
);

export const NotificationThread = t.Object(
  {
    id: integer(),
    pinned: t.Boolean(),
    repository: nullable(Repository),
    subject: nullable(NotificationSubject),
    unread: t.Boolean(),
    updated_at: dateTime("When something happened last"),
    url: t.String(),
  },
  { $id: "NotificationThread" },
);

export const NotificationCount = t.Object(
  { new: integer({ description: "How many are unread" }) },
  { $id: "NotificationCount" },
);
