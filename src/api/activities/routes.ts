import { Elysia, t } from "elysia";
import { countContributions, listActivities, type Feed } from "../../domain/activities/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { forbidden, invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, repositoryParams, rowId } from "../common/schema.ts";
import { userOf } from "../social/follow-routes.ts";
import { presentActivity } from "./present.ts";
import { Activity, UserHeatmapData } from "./schema.ts";

const feedQuery = { date: t.Optional(t.String({ description: "Only of this day in UTC, such as 2026-11-21" })), ...pagingQuery };
const feedAnswers = { ...ok(t.Array(Activity), "The activities, the newest first"), ...notFound, ...invalid };
const dayMs = 24 * 3600 * 1000;
const heatmapDays = 366;

/** The day that `date` names. Throws InvalidInput. */
function readDay(date: string | undefined): { from: Date; to: Date } | null {
  if (date === undefined || date === "") {
    return null;
  }
  const from = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(`${date}T00:00:00Z`) : null;
  if (from === null || Number.isNaN(from.getTime()) || !from.toISOString().startsWith(date)) {
    throw new InvalidInput(`date must be a day such as 2026-11-21, not "${date.slice(0, 40)}"`, "date");
  }
  return { from, to: new Date(from.getTime() + dayMs) };
}

/** What users did, where. */
export function activityRoutes({ forge, endpoint }: Api) {
  function answer(asked: AskedForList & { query: { date?: string }; signal: AbortSignal }, feed: Feed, ofId: number) {
    const { request, query, actor, signal } = asked;
    const day = readDay(query.date);
    return pageOf(
      { request, query, base: forge.addresses.base },
      (page) => listActivities(forge.database.db, asked, feed, day, page),
      (row) => presentActivity(forge, row, ofId, actor, signal),
    );
  }

  return new Elysia()
    .get(
      "/users/:username/activities/feeds",
      ...endpoint(
        {
          operationId: "userListActivityFeeds",
          tag: "user",
          summary: "List what a user did, and what happened in the repositories that they watch",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          params: t.Object({ username: t.String({ description: "Name of the user" }) }),
          query: t.Object({ "only-performed-by": t.Optional(t.Boolean({ description: "Only what the user did" })), ...feedQuery }),
          responses: feedAnswers,
        },
        (asked) => {
          const userId = userOf(asked.owner).id;
          // What somebody watches is told by their feed: to them, and to those who administer the site.
          const own = asked.actor !== null && (asked.actor.id === userId || asked.actor.isAdmin);
          return answer(asked, { kind: "user", userId, watched: own && asked.query["only-performed-by"] !== true }, userId);
        },
      ),
    )
    .get(
      "/users/:username/heatmap",
      ...endpoint(
        {
          operationId: "userGetHeatmapData",
          tag: "user",
          summary: "Count what a user did in each quarter of an hour of the last year",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          params: t.Object({ username: t.String({ description: "Name of the user" }) }),
          responses: { ...ok(t.Array(UserHeatmapData), "Where there was anything, the oldest first"), ...notFound },
        },
        ({ actor, credential, owner }) =>
          countContributions(forge.database.db, { actor, credential }, userOf(owner).id, new Date(Date.now() - heatmapDays * dayMs)),
      ),
    )
    .get(
      "/orgs/:org/activities/feeds",
      ...endpoint(
        {
          operationId: "orgListActivityFeeds",
          tag: "organization",
          summary: "List what happened in an organization's repositories",
          scopes: ["organization"],
          may: { on: "organization", do: "see" },
          params: t.Object({ org: t.String({ description: "Name of the organization" }) }),
          query: t.Object(feedQuery),
          responses: feedAnswers,
        },
        (asked) => answer(asked, { kind: "owner", ownerId: asked.owner.owner.id }, asked.owner.owner.id),
      ),
    )
    .get(
      "/teams/:id/activities/feeds",
      ...endpoint(
        {
          operationId: "orgListTeamActivityFeeds",
          tag: "organization",
          summary: "List what happened in a team's repositories",
          scopes: ["organization"],
          may: { on: "team", do: "see" },
          signedIn: true,
          params: t.Object({ id: rowId("Id of the team") }),
          query: t.Object(feedQuery),
          responses: { ...feedAnswers, ...signInNeeded, ...forbidden },
        },
        (asked) => answer(asked, { kind: "team", teamId: asked.params.id }, asked.owner.owner.id),
      ),
    )
    .get(
      "/repos/:owner/:repo/activities/feeds",
      ...endpoint(
        {
          operationId: "repoListActivityFeeds",
          tag: "repository",
          summary: "List what happened in a repository",
          scopes: ["repository"],
          may: { on: "repository", do: "read" },
          params: t.Object(repositoryParams),
          query: t.Object(feedQuery),
          responses: feedAnswers,
        },
        (asked) => answer(asked, { kind: "repository", repositoryId: asked.repository.repository.id }, asked.repository.owner.id),
      ),
    );
}
