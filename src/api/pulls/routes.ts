import { t, type Static } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { hasEach, type IssueFilter } from "../../domain/work/issues/list-filter.ts";
import { listIssues } from "../../domain/work/issues/list-queries.ts";
import { listPinned } from "../../domain/work/issues/pin-queries.ts";
import { findVisibleOwner } from "../../domain/identity/owners/queries.ts";
import { createPull } from "../../domain/work/pulls/create-pull.ts";
import { editPull, type PullPatch } from "../../domain/work/pulls/edit-pull.ts";
import { findHead } from "../../domain/work/pulls/find-head.ts";
import { findPullOfPair } from "../../domain/work/pulls/queries.ts";
import { freshPull } from "../../domain/work/pulls/refresh-pull.ts";
import { findVisibleUser } from "../../domain/identity/social/queries.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { paged, readPage } from "../common/paging.ts";
import { created } from "../common/reply.ts";
import { conflict, made, ok, openDependencies } from "../common/responses.ts";
import { integer, oneOf, pagingQuery, rowId } from "../common/schema.ts";
import { readClosed } from "../issues/edit-routes.ts";
import { getPull } from "./find-pull.ts";
import { presentOnePull, presentPulls } from "./present.ts";
import { prepareAnswerPullText, pullText } from "./pull-text.ts";
import { CreatePullRequestOption, EditPullRequestOption, PullRequest } from "./schema.ts";

const index = rowId("Number of the pull request");

const listOrders = [
  "latest",
  "oldest",
  "recentupdate",
  "leastupdate",
  "mostcomment",
  "leastcomment",
  "priority",
] as const;

/** The family's clients send nothing, null, empty texts or milestone 0 for an unchanged field. */
function readPatch(body: Static<typeof EditPullRequestOption>): PullPatch {
  const { assignee, assignees } = body;
  const namesSomebody = Boolean(assignee) || assignees != null;
  return {
    title: body.title || undefined,
    body: body.body ?? undefined,
    closed: body.state == null ? undefined : readClosed(body.state),
    base: body.base || undefined,
    assignees: namesSomebody ? [...(assignee ? [assignee] : []), ...(assignees ?? [])] : undefined,
    labels: body.labels ?? undefined,
    milestone: body.milestone || undefined,
    dueAt:
      body.unset_due_date === true ? null : body.due_date == null ? undefined : readInstant(body.due_date, "due_date"),
    allowMaintainerEdit: body.allow_maintainer_edit ?? undefined,
  };
}

/** Throws InvalidInput for nothing, and for an empty text. */
function needed(value: string | undefined, field: string): string {
  if (!value) {
    throw new InvalidInput(`"${field}" is needed`, field);
  }
  return value;
}

/** Pull requests: list, open, look at, change. */
export function pullRoutes({ forge, group }: Api) {
  const { db } = forge.database;

  /** The filter of a head: a branch, or one of an owner's repositories. null: the owner is not there, so that nothing is from it. */
  async function readHead(viewer: Viewer, head: string | undefined): Promise<IssueFilter["head"] | null> {
    if (!head) {
      return undefined;
    }
    const colon = head.indexOf(":");
    if (colon < 0) {
      return { ownerId: null, branch: head };
    }
    const owner = await findVisibleOwner(db, viewer, head.slice(0, colon));
    return owner === null ? null : { ownerId: owner.id, branch: head.slice(colon + 1) };
  }

  return group("/repos/:owner/:repo/pulls", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "pulls" },
  })
    .get(
      "",
      {
        operationId: "repoListPullRequests",
        summary: "List the pull requests of a repository",
        description:
          "What is worked out of head and base is as it was last: a list compares nothing. Counts and mergeability of one that moved a moment ago may be old.",
        query: {
          state: t.Optional(oneOf(["open", "closed", "all"], "Open ones if absent")),
          sort: t.Optional(oneOf(listOrders, "The latest first if absent; priority: the pinned ones first")),
          milestone: t.Optional(integer({ minimum: 0, description: "Id of the milestone that they are in" })),
          labels: t.Optional(
            t.Array(integer(), { maxItems: 100, description: "Ids of labels: those that have all of them" }),
          ),
          poster: t.Optional(t.String({ description: "Name of the author" })),
          base: t.Optional(t.String({ description: "The branch that they are for" })),
          head: t.Optional(t.String({ description: "The branch that they are from: branch, or owner:branch" })),
          ...pagingQuery,
        },
        responses: ok(t.Array(PullRequest), "The pull requests"),
      },
      async ({ repository, query, request, actor, credential }) => {
        const viewer = { actor, credential };
        const page = readPage(query);
        const [author, head] = await Promise.all([
          query.poster ? findVisibleUser(db, viewer, query.poster) : undefined,
          readHead(viewer, query.head),
        ]);
        if (author === null) {
          throw new NotFound("user", clip(query.poster ?? "", 80));
        }
        const filter: IssueFilter = {
          kinds: head === null ? [] : [true],
          states: query.state === "all" ? [true, false] : [query.state !== "closed"],
          authorId: author?.id,
          ...(query.labels === undefined || query.labels.length === 0
            ? {}
            : hasEach([...new Set(query.labels)].map((id) => [id]))),
          milestoneId: query.milestone || undefined,
          base: query.base || undefined,
          head: head ?? undefined,
        };
        const place = { repositoryId: repository.repository.id, ownerId: repository.owner.id };
        const { rows, total } = await listIssues(db, viewer, place, filter, query.sort ?? "latest", page);
        const pulls = await presentPulls(forge, viewer, repository, rows);
        return paged({ request, base: forge.addresses.base }, page, total, pulls);
      },
    )
    .post(
      "",
      {
        operationId: "repoCreatePullRequest",
        summary: "Open a pull request",
        may: { on: "repository", do: "participate", unit: "code-of-pulls" },
        body: CreatePullRequestOption,
        responses: { ...made(PullRequest, "The pull request"), ...conflict },
      },
      async ({ doer, repository, body, actor, credential }) => {
        const { assignee, assignees } = body;
        const row = await createPull(forge, doer, repository, {
          title: needed(body.title, "title"),
          body: body.body ?? "",
          base: needed(body.base, "base"),
          head: needed(body.head, "head"),
          assignees: [...(assignee ? [assignee] : []), ...(assignees ?? [])],
          labels: body.labels ?? [],
          milestone: body.milestone || null,
          dueAt: body.due_date == null ? null : readInstant(body.due_date, "due_date"),
        });
        return created(await presentOnePull(forge, { actor, credential }, repository, row));
      },
    )
    .get(
      "/pinned",
      {
        operationId: "repoListPinnedPullRequests",
        summary: "List the pinned pull requests of a repository in their order",
        responses: ok(t.Array(PullRequest), "The pull requests"),
      },
      async ({ repository, actor, credential }) => {
        const rows = await listPinned(db, repository.repository.id, true);
        return presentPulls(forge, { actor, credential }, repository, rows);
      },
    )
    .get("/:index.:diffType", pullText, prepareAnswerPullText(forge))
    .get(
      "/:index",
      {
        operationId: "repoGetPullRequest",
        summary: "Get a pull request",
        description: "One whose head or base moved a moment ago is compared first, which may take some seconds.",
        params: { index },
        responses: ok(PullRequest, "The pull request"),
      },
      async ({ repository, params, actor, credential }) => {
        const found = await getPull(forge, repository, params.index);
        const fresh = await freshPull(forge, found);
        if (fresh === null) {
          throw new NotFound("pull request", String(params.index));
        }
        const details = fresh === found ? found.pull : undefined;
        return presentOnePull(forge, { actor, credential }, repository, fresh.issue, details);
      },
    )
    .patch(
      "/:index",
      {
        operationId: "repoEditPullRequest",
        summary: "Change a pull request",
        description:
          "Its author may change the title, the text, the state and the base. The rest, and the pull requests of others, are for those who may write to the pull requests of the repository. What is absent, null or empty stays.",
        may: { on: "repository", do: "participate", unit: "pulls" },
        params: { index },
        body: EditPullRequestOption,
        responses: { ...made(PullRequest, "The pull request"), ...conflict, ...openDependencies },
      },
      async ({ doer, repository, params, body, actor, credential }) => {
        await forge.change(doer, (work) => editPull(work, repository, params.index, readPatch(body)));
        const found = await freshPull(forge, await getPull(forge, repository, params.index));
        if (found === null) {
          throw new NotFound("pull request", String(params.index));
        }
        return created(await presentOnePull(forge, { actor, credential }, repository, found.issue));
      },
    )
    .get(
      // The router knows one name for the first segment below /pulls.
      "/:index/:head",
      {
        operationId: "repoGetPullRequestByBaseHead",
        summary: "Get the pull request of two branches: the open one, else the latest",
        may: { on: "repository", do: "read", unit: "code-of-pulls" },
        params: {
          index: t.String({ description: "The branch that it is for; a slash in it is %2F" }),
          head: t.String({ description: "The branch that it is from: branch, owner:branch or owner/repo:branch" }),
        },
        responses: ok(PullRequest, "The pull request"),
      },
      async ({ repository, params, actor, credential }) => {
        const viewer = { actor, credential };
        const head = await findHead(db, viewer, repository, params.head);
        const found = await findPullOfPair(db, {
          baseRepositoryId: repository.repository.id,
          baseBranch: params.index,
          headRepositoryId: head.access.repository.id,
          headBranch: head.branch,
          flow: "branch",
        });
        const fresh = found === null ? null : await freshPull(forge, found);
        if (fresh === null) {
          throw new NotFound("pull request", clip(`${params.head} into ${params.index}`, 80));
        }
        return presentOnePull(forge, viewer, repository, fresh.issue);
      },
    );
}
