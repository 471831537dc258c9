import { t } from "elysia";
import { findPushedCommits } from "../../domain/work/activities/pushed-commits.ts";
import { countContributions, listActivities, type Feed } from "../../domain/work/activities/queries.ts";
import { findDeedSubjects } from "../../domain/work/activities/subject-queries.ts";
import { withParents } from "../../domain/repos/forks/with-parent.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentActivity } from "./present.ts";
import { Activity, UserHeatmapData } from "./schema.ts";

const feedQuery = {
  date: t.Optional(t.String({ description: "Only of this day in UTC, such as 2026-11-21" })),
  ...pagingQuery,
};
const nothingPushed = { commits: [], total: 0 };
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

/** Activities of users. */
export function activityRoutes({ forge, group }: Api) {
  function answer(asked: AskedForList & { query: { date?: string }; signal: AbortSignal }, feed: Feed, ofId: number) {
    const { request, query, actor, signal } = asked;
    const day = readDay(query.date);
    return pageOf(
      { request, query, base: forge.addresses.base },
      async (page) => {
        const { rows, total } = await listActivities(forge.database.db, asked, feed, day, page);
        const [pushed, subjects, where] = await Promise.all([
          findPushedCommits(forge, rows, signal),
          findDeedSubjects(forge.database.db, asked, rows),
          withParents(
            forge.database.db,
            asked,
            rows.map(({ access }) => access),
          ),
        ]);
        return {
          rows: rows.map((deed, index) => ({
            deed,
            repository: where[index] ?? { ...deed.access, parent: null },
            pushed: pushed.get(deed.activity.id) ?? nothingPushed,
            subject: subjects.get(deed.activity.id) ?? null,
          })),
          total,
        };
      },
      ({ deed, repository, ...about }) => presentActivity(forge.addresses, deed, repository, ofId, actor, about),
    );
  }

  return group("", { tag: "user", scopes: ["user"], may: { on: "user", do: "see" } })
    .get(
      "/users/:username/activities/feeds",
      {
        operationId: "userListActivityFeeds",
        summary: "List what a user did, and what happened in the repositories that they watch",
        query: {
          "only-performed-by": t.Optional(t.Boolean({ description: "Only what the user did" })),
          ...feedQuery,
        },
        responses: ok(t.Array(Activity), "The activities, the newest first"),
      },
      (asked) => {
        const userId = asked.owner.owner.id;
        // The feed of a user shows the repositories that they watch only to them and to site administrators.
        const own = asked.actor !== null && (asked.actor.id === userId || asked.actor.isAdmin);
        return answer(
          asked,
          { kind: "user", userId, watched: own && asked.query["only-performed-by"] !== true },
          userId,
        );
      },
    )
    .get(
      "/users/:username/heatmap",
      {
        operationId: "userGetHeatmapData",
        summary: "Count what a user did in each quarter of an hour of the last year",
        responses: ok(t.Array(UserHeatmapData), "Where there was anything, the oldest first"),
      },
      ({ actor, credential, owner }) =>
        countContributions(
          forge.database.db,
          { actor, credential },
          owner.owner.id,
          new Date(Date.now() - heatmapDays * dayMs),
        ),
    )
    .get(
      "/orgs/:org/activities/feeds",
      {
        operationId: "orgListActivityFeeds",
        summary: "List what happened in an organization's repositories",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "see" },
        query: feedQuery,
        responses: ok(t.Array(Activity), "The activities, the newest first"),
      },
      (asked) => answer(asked, { kind: "owner", ownerId: asked.owner.owner.id }, asked.owner.owner.id),
    )
    .get(
      "/teams/:id/activities/feeds",
      {
        operationId: "orgListTeamActivityFeeds",
        summary: "List what happened in a team's repositories",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "team", do: "see" },
        params: { id: rowId("Id of the team") },
        query: feedQuery,
        responses: ok(t.Array(Activity), "The activities, the newest first"),
      },
      (asked) => answer(asked, { kind: "team", teamId: asked.params.id }, asked.owner.owner.id),
    )
    .get(
      "/repos/:owner/:repo/activities/feeds",
      {
        operationId: "repoListActivityFeeds",
        summary: "List what happened in a repository",
        tag: "repository",
        scopes: ["repository"],
        may: { on: "repository", do: "read", unit: "any" },
        query: feedQuery,
        responses: ok(t.Array(Activity), "The activities, the newest first"),
      },
      (asked) =>
        answer(asked, { kind: "repository", repositoryId: asked.repository.repository.id }, asked.repository.owner.id),
    );
}
