import { t } from "elysia";
import { dateTime, integer, nullable, sparseList } from "../common/schema.ts";

export const TopicName = t.Object({ topics: t.Array(t.String()) }, { $id: "TopicName" });

export const RepoTopicOptions = t.Object(
  { topics: t.Optional(nullable(sparseList(t.String(), "All that it is to have"))) },
  { $id: "RepoTopicOptions" },
);

const TopicResponse = t.Object(
  {
    id: integer(),
    topic_name: t.String(),
    repo_count: integer({ description: "How many of the repositories that have it the caller may know of" }),
    created: dateTime(),
    updated: dateTime(),
  },
  { $id: "TopicResponse" },
);

export const TopicSearchResult = t.Object({ topics: t.Array(TopicResponse) }, { $id: "TopicSearchResult" });
