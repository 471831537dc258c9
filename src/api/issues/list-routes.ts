import { t } from "elysia";
import type { Viewer } from "../../auth/viewer-of.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { issueOrders, readNames, type IssueFilter, type IssueOrderName } from "../../domain/work/issues/list-filter.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import { findVisibleOwner } from "../../domain/identity/owners/queries.ts";
import { findVisibleUser } from "../../domain/identity/social/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { readSpan } from "../common/instants.ts";
import { paged, readPage } from "../common/paging.ts";
import { badRequest, invalid, ok } from "../common/responses.ts";
import { integer, oneOf, pagingQuery, searchText } from "../common/schema.ts";
import { presentIssues, presentIssuesOfMany } from "./find-issue.ts";
import { Issue } from "./schema.ts";

const orderNames = Object.keys(issueOrders).filter((name) => name !== "priority") as [
  IssueOrderName,
  ...IssueOrderName[],
];
const mostNames = 100;

const labelsOf = (which: string) =>
  t.Optional(
    t.String({
      maxLength: 4000,
      description: `Names or ids, separated by commas: ${which}. With - before it: issues that do not have it. Those that do not exist count for nothing`,
    }),
  );

const common = {
  state: t.Optional(oneOf(["open", "closed", "all"], "Open ones if absent")),
  milestones: t.Optional(
    t.String({ maxLength: 4000, description: "Titles or ids, separated by commas: issues in one of them" }),
  ),
  q: searchText("Words or their beginnings; title and text, or one comment, must have all of them"),
  type: t.Optional(oneOf(["issues", "pulls"], "Both if absent")),
  since: t.Optional(t.String({ description: "Changed at this time or later" })),
  before: t.Optional(t.String({ description: "Changed at this time or earlier" })),
};

interface CommonQuery {
  state?: "open" | "closed" | "all";
  labels?: string;
  milestones?: string;
  q?: string;
  type?: "issues" | "pulls";
  since?: string;
  before?: string;
}

function namesOf(list: string | undefined, field: string) {
  const names = readNames(list ?? "");
  if (names.with.length + names.without.length > mostNames) {
    throw new InvalidInput(`"${field}" has at most ${mostNames} names`, field);
  }
  return {
    with: names.with.length === 0 ? undefined : names.with,
    without: names.without.length === 0 ? undefined : names.without,
  };
}

function readFilter(query: CommonQuery): IssueFilter {
  const labels = namesOf(query.labels, "labels");
  const milestones = readNames(query.milestones ?? "").with;
  if (milestones.length > mostNames) {
    throw new InvalidInput(`"milestones" has at most ${mostNames} names`, "milestones");
  }
  return {
    kinds: query.type === undefined ? [false, true] : [query.type === "pulls"],
    states: query.state === "all" ? [true, false] : [query.state !== "closed"],
    text: query.q?.trim() || undefined,
    labels: labels.with,
    withoutLabels: labels.without,
    milestones: milestones.length === 0 ? undefined : milestones,
    ...readSpan(query),
  };
}

/** Lists of issues and pull requests. */
export function issueListRoutes({ forge, group }: Api) {
  const { db } = forge.database;

  async function userId(viewer: Viewer, name: string | undefined): Promise<number | undefined> {
    if (!name) {
      return undefined;
    }
    const user = await findVisibleUser(db, viewer, name);
    if (user === null) {
      throw new NotFound("user", clip(name, 80));
    }
    return user.id;
  }

  return group("/repos", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "read", unit: "issues-or-pulls" },
  })
    .get(
      "/:owner/:repo/issues",
      {
        operationId: "issueListIssues",
        summary: "List the issues and pull requests of a repository",
        query: {
          ...common,
          labels: labelsOf("issues that have all of them"),
          created_by: t.Optional(t.String({ description: "Name of the author" })),
          assigned_by: t.Optional(t.String({ description: "Name of an assignee" })),
          mentioned_by: t.Optional(t.String({ description: "Name of somebody whom it mentions" })),
          sort: t.Optional(oneOf(orderNames, "The latest first if absent")),
          ...pagingQuery,
        },
        responses: ok(t.Array(Issue), "The issues"),
      },
      async ({ repository, query, request, actor, credential }) => {
        const viewer = { actor, credential };
        const page = readPage(query);
        const filter = readFilter(query);
        const [authorId, assigneeId, mentionedId] = await Promise.all(
          [query.created_by, query.assigned_by, query.mentioned_by].map((name) => userId(viewer, name)),
        );
        const kinds = filter.kinds.filter(
          (isPull) => repository.units[isPull ? "pulls" : "issues"] >= accessModes.read,
        );
        const place = { repositoryId: repository.repository.id, ownerId: repository.owner.id };
        const narrowed = { ...filter, kinds, authorId, assigneeId, mentionedId };
        const { rows, total } = await listIssues(db, viewer, place, narrowed, query.sort ?? "latest", page);
        const issues = await presentIssues(forge, viewer, repository, rows);
        return paged({ request, base: forge.addresses.base }, page, total, issues);
      },
    )
    .get(
      "/issues/search",
      {
        operationId: "issueSearchIssues",
        summary: "Search for issues and pull requests in all repositories that the caller may see",
        description:
          "The latest first. What is about the signed-in user (assigned, created, mentioned, review_requested, reviewed) finds nothing for nobody.",
        may: { on: "instance", do: "use" },
        query: {
          ...common,
          labels: labelsOf("issues that have one of them"),
          priority_repo_id: t.Optional(integer({ description: "Id of the repository whose issues come first" })),
          assigned: t.Optional(t.Boolean({ description: "Assigned to the signed-in user" })),
          created: t.Optional(t.Boolean({ description: "Written by the signed-in user" })),
          mentioned: t.Optional(t.Boolean({ description: "Mentioning the signed-in user" })),
          review_requested: t.Optional(t.Boolean({ description: "Pull requests that wait for the user's review" })),
          reviewed: t.Optional(t.Boolean({ description: "Pull requests that the user has reviewed" })),
          owner: t.Optional(t.String({ description: "In repositories of this user or organization" })),
          team: t.Optional(t.String({ description: "In repositories of this team of the owner" })),
          ...pagingQuery,
        },
        responses: { ...ok(t.Array(Issue), "The issues"), ...badRequest, ...invalid },
      },
      async ({ query, request, actor, credential }) => {
        const viewer = { actor, credential };
        const page = readPage(query);
        const filter = readFilter(query);
        if (query.team && !query.owner) {
          throw new InvalidInput('"team" is a team of "owner", which is needed, too', "team");
        }
        const owner = query.owner ? await findVisibleOwner(db, viewer, query.owner) : undefined;
        if (owner === null) {
          throw new InvalidInput(`There is no user or organization "${clip(query.owner ?? "", 80)}"`, "owner");
        }
        const { assigned, created, mentioned, review_requested: requested, reviewed } = query;
        const isOwn = [assigned, created, mentioned, requested, reviewed].includes(true);
        const isNone = isOwn && actor === null;
        const place = {
          repositoryId: null,
          ownerId: owner?.id,
          team: query.team?.toLowerCase() || undefined,
          firstId: query.priority_repo_id || undefined,
        };
        const narrowed = {
          ...filter,
          kinds: isNone ? [] : filter.kinds,
          authorId: created === true ? actor?.id : undefined,
          assigneeId: assigned === true ? actor?.id : undefined,
          mentionedId: mentioned === true ? actor?.id : undefined,
          reviewRequestedId: requested === true ? actor?.id : undefined,
          reviewedById: reviewed === true ? actor?.id : undefined,
        };
        const { rows, total } = await listIssues(db, viewer, place, narrowed, "latest", page);
        const issues = await presentIssuesOfMany(forge, viewer, rows);
        return paged({ request, base: forge.addresses.base }, page, total, issues);
      },
    );
}
