import { t } from "elysia";
import { addDependency, endDependency, type IssueAddress } from "../../domain/work/issues/change-dependency.ts";
import { pageOfDependencies, type DependencySide } from "../../domain/work/issues/dependency-queries.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Doer } from "../../domain/spine/doer.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { created } from "../common/reply.ts";
import { badRequest, made, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentIssuesOfMany, presentOneIssue } from "./find-issue.ts";
import { Issue, IssueMeta } from "./schema.ts";

const params = { index: rowId("Number of the issue or pull request") };

/** Dependencies of issues, from both sides: what an issue depends on and what it blocks. */
export function issueDependencyRoutes({ forge, group }: Api) {
  const read = { on: "repository", do: "read", unit: "issues-or-pulls" } as const;
  // Those who may not write the issue are told so after what is hidden was not found.
  const participate = { on: "repository", do: "participate", unit: "issues-or-pulls" } as const;
  const write = { on: "repository", do: "write", unit: "issues-or-pulls" } as const;
  const named = { owner: "owner", repo: "repo" } as const;
  const readsOther = { other: { may: read, named, in: "body" } } as const;
  const writesOther = { other: { may: write, named, in: "body" } } as const;

  interface Asked {
    request: Request;
    query: { page?: number; limit?: number };
    repository: RepositoryAccess;
    params: { index: number };
  }
  async function list(asked: Asked & Viewer, side: DependencySide) {
    const { request, query, repository, actor, credential } = asked;
    const { id } = await getIssueRow(forge, repository, asked.params.index);
    const page = readPage(query);
    const viewer = { actor, credential };
    const { rows, total } = await pageOfDependencies(forge.database.db, viewer, id, side, page);
    const issues = await presentIssuesOfMany(forge, viewer, rows);
    return paged({ request, base: forge.addresses.base }, page, total, issues);
  }

  interface Change {
    doer: Doer;
    repository: RepositoryAccess;
    params: { index: number };
    also: { other: RepositoryAccess };
    body: { index: number };
  }
  /** Changes what the issue of the path depends on, or what depends on it; returns that issue. */
  async function change(asked: Change & Viewer, side: DependencySide, how: typeof addDependency) {
    const { doer, repository, actor, credential } = asked;
    const here: IssueAddress = { access: repository, number: asked.params.index };
    const there: IssueAddress = { access: asked.also.other, number: asked.body.index };
    const [dependent, other] = side === "dependencies" ? [here, there] : [there, here];
    await forge.change(doer, async (work) => {
      await how(work, dependent, other);
      if (side === "dependencies") {
        await work.demand(write);
      }
    });
    const row = await getIssueRow(forge, repository, here.number);
    return presentOneIssue(forge, { actor, credential }, repository, row);
  }

  return group("/repos/:owner/:repo/issues/:index", { tag: "issue", scopes: ["issue"], may: read })
    .get(
      "/dependencies",
      {
        operationId: "issueListIssueDependencies",
        summary: "List the issues that an issue depends on",
        params,
        query: pagingQuery,
        responses: ok(t.Array(Issue), "Those that the caller may read"),
      },
      (asked) => list(asked, "dependencies"),
    )
    .post(
      "/dependencies",
      {
        operationId: "issueCreateIssueDependencies",
        summary: "Let an issue depend on another one",
        description: "It cannot be closed before that.",
        may: participate,
        params,
        also: readsOther,
        body: IssueMeta,
        responses: { ...made(Issue, "The issue that depends"), ...badRequest },
      },
      async (asked) => created(await change(asked, "dependencies", addDependency)),
    )
    .delete(
      "/dependencies",
      {
        operationId: "issueRemoveIssueDependencies",
        summary: "Let an issue no longer depend on another one",
        may: participate,
        params,
        also: readsOther,
        body: IssueMeta,
        responses: { ...ok(Issue, "The issue that depended"), ...badRequest },
      },
      (asked) => change(asked, "dependencies", endDependency),
    )
    .get(
      "/blocks",
      {
        operationId: "issueListBlocks",
        summary: "List the issues that depend on an issue",
        params,
        query: pagingQuery,
        responses: ok(t.Array(Issue), "Those that the caller may read"),
      },
      (asked) => list(asked, "blocks"),
    )
    .post(
      "/blocks",
      {
        operationId: "issueCreateIssueBlocking",
        summary: "Let another issue depend on an issue",
        params,
        may: participate,
        also: writesOther,
        body: IssueMeta,
        responses: { ...made(Issue, "The issue that blocks"), ...badRequest },
      },
      async (asked) => created(await change(asked, "blocks", addDependency)),
    )
    .delete(
      "/blocks",
      {
        operationId: "issueRemoveIssueBlocking",
        summary: "Let another issue no longer depend on an issue",
        params,
        may: participate,
        also: writesOther,
        body: IssueMeta,
        responses: { ...ok(Issue, "The issue that blocked"), ...badRequest },
      },
      (asked) => change(asked, "blocks", endDependency),
    );
}
