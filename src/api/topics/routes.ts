import { t } from "elysia";
import { addTopic, removeTopic, replaceTopics } from "../../domain/repos/topics/edit-topics.ts";
import { searchTopics } from "../../domain/repos/topics/queries.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf, paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, invalid, ok } from "../common/responses.ts";
import { pagingQuery, searchText } from "../common/schema.ts";
import { RepoTopicOptions, TopicName, TopicSearchResult } from "./schema.ts";

/** Words that say what a repository is about, and the search for them. */
export function topicRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const params = { topic: t.String({ description: "Name of the topic" }) };

  return group("", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
  })
    .get(
      "/repos/:owner/:repo/topics",
      {
        operationId: "repoListTopics",
        summary: "List a repository's topics",
        may: { on: "repository", do: "read", unit: "any" },
        query: pagingQuery,
        responses: ok(TopicName, "The topics"),
      },
      ({ request, query, repository: { repository } }) => {
        const page = readPage(query);
        const { topics: all } = repository;
        const topics = all.slice(page.offset, page.offset + page.size);
        return paged({ request, base: addresses.base }, page, all.length, { topics });
      },
    )
    .put(
      "/repos/:owner/:repo/topics",
      {
        operationId: "repoUpdateTopics",
        summary: "Replace a repository's topics",
        description: "The names are stored in lower case, each once. A list that is absent or null is an empty one.",
        body: RepoTopicOptions,
        responses: done,
      },
      async ({ doer, repository: access, body }) => {
        await forge.change(doer, (work) => replaceTopics(work, access, body.topics ?? []));
        return empty();
      },
    )
    .put(
      "/repos/:owner/:repo/topics/:topic",
      {
        operationId: "repoAddTopic",
        summary: "Add a topic to a repository",
        params,
        responses: { ...done, ...invalid },
      },
      async ({ doer, repository: access, params: { topic } }) => {
        await forge.change(doer, (work) => addTopic(work, access, topic));
        return empty();
      },
    )
    .delete(
      "/repos/:owner/:repo/topics/:topic",
      {
        operationId: "repoDeleteTopic",
        summary: "Take a topic from a repository",
        params,
        responses: { ...done, ...invalid },
      },
      async ({ doer, repository: access, params: { topic } }) => {
        await forge.change(doer, (work) => removeTopic(work, access, topic));
        return empty();
      },
    )
    .get(
      "/topics/search",
      {
        operationId: "topicSearch",
        summary: "Search for topics",
        description:
          "Topics of the repositories that the caller may know of: those that most of them have come first, then by name.",
        may: { on: "instance", do: "use" },
        query: { q: searchText("A part of the name; every topic if absent"), ...pagingQuery },
        responses: ok(TopicSearchResult, "The topics"),
      },
      ({ request, actor, credential, query }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) => searchTopics(database.db, { actor, credential }, query.q ?? "", page),
          ({ id, name, count, createdAt, updatedAt }) => ({
            id,
            topic_name: name,
            repo_count: count,
            created: presentInstant(createdAt),
            updated: presentInstant(updatedAt),
          }),
          (topics) => ({ topics }),
        ),
    );
}
