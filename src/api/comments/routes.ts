import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { listComments } from "../../domain/work/comments/queries.ts";
import { completeEntries, listTimeline } from "../../domain/work/comments/timeline-queries.ts";
import { createComment, deleteComment, editComment } from "../../domain/work/comments/write-comment.ts";
import type { Doer } from "../../domain/spine/doer.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { paged, readPage, type AskedForList } from "../common/paging.ts";
import { created, empty, json } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { integer, pagingQuery, rowId } from "../common/schema.ts";
import { getEntry, presentComments, presentOneComment, readCommentSpan } from "./find-comment.ts";
import { presentEntry } from "./present-entry.ts";
import { Comment, CreateIssueCommentOption, EditIssueCommentOption, spanQuery } from "./schema.ts";
import { TimelineComment } from "./timeline-schema.ts";

const index = rowId("Number of the issue or pull request");
const id = rowId("Id of the comment");
const reads = { on: "repository", do: "read", unit: "issues-or-pulls" } as const;
const participates = { on: "repository", do: "participate", unit: "issues-or-pulls" } as const;

const listQuery = {
  ...spanQuery,
  string: t.Optional(t.String({ description: "The same as `since`, which comes first" })),
  ...pagingQuery,
};

const noText = { 204: { description: "It is another entry of a timeline than a comment, and has no text" } };

type AskedForComments = AskedForList & {
  repository: RepositoryAccess;
  query: { since?: string; string?: string; before?: string };
};

type AskedForOne = AskedForList & { doer: Doer; repository: RepositoryAccess; params: { id: number } };

interface Text {
  body: string;
  updated_at?: string | null;
}

function textOf({ body, updated_at: writtenAt }: Text) {
  return { body, writtenAt: writtenAt == null ? null : readInstant(writtenAt, "updated_at") };
}

/** Handlers for comments under both paths. */
function prepareHandlers({ forge }: Api) {
  const { db } = forge.database;

  async function listOf(asked: AskedForComments, of: Parameters<typeof listComments>[1], known: number | null = null) {
    const { request, query, repository, actor, credential } = asked;
    const page = readPage(query);
    const { rows, total } = await listComments(db, of, readCommentSpan(query), page, known);
    const comments = await presentComments(forge, { actor, credential }, repository, rows);
    return paged({ request, base: forge.addresses.base }, page, total, comments);
  }

  return {
    listOf,

    async listOfIssue(asked: AskedForComments & { params: { index: number } }) {
      const row = await getIssueRow(forge, asked.repository, asked.params.index);
      return listOf(asked, { issueId: row.id }, row.comments);
    },

    async edit(asked: Omit<AskedForOne, "query"> & { body: Text }) {
      const { doer, repository, params, body, actor, credential } = asked;
      const found = await forge.change(doer, (work) => editComment(work, repository, params.id, textOf(body)));
      return found === null
        ? empty()
        : json(200, await presentOneComment(forge, { actor, credential }, repository, found));
    },

    async remove({ doer, repository, params }: Pick<AskedForOne, "doer" | "repository" | "params">) {
      await forge.change(doer, (work) => deleteComment(work, repository, params.id));
      return empty();
    },
  };
}

export function commentRoutes(api: Api) {
  const { forge, group } = api;
  const { listOf, listOfIssue, edit, remove } = prepareHandlers(api);

  return group("/repos/:owner/:repo/issues", { tag: "issue", scopes: ["issue"], may: reads })
    .get(
      "/:index/comments",
      {
        operationId: "issueGetComments",
        summary: "List the comments of an issue or a pull request",
        description: "The oldest first.",
        params: { index },
        query: listQuery,
        responses: ok(t.Array(Comment), "The comments"),
      },
      listOfIssue,
    )
    .post(
      "/:index/comments",
      {
        operationId: "issueCreateComment",
        summary: "Comment on an issue or a pull request",
        description: "Where the conversation is locked, only those may who have write access.",
        may: participates,
        params: { index },
        body: CreateIssueCommentOption,
        responses: made(Comment, "The comment"),
      },
      async ({ doer, repository, params, body, actor, credential }) => {
        const row = await forge.change(doer, (work) => createComment(work, repository, params.index, textOf(body)));
        return created(await presentOneComment(forge, { actor, credential }, repository, row));
      },
    )
    .get(
      "/comments",
      {
        operationId: "issueGetRepoComments",
        summary: "List the comments of a repository",
        description: "Those on issues and on pull requests, as far as the caller may read these; the oldest first.",
        query: listQuery,
        responses: ok(t.Array(Comment), "The comments"),
      },
      (asked) => {
        const { units, repository } = asked.repository;
        const [issues, pulls] = [units.issues >= accessModes.read, units.pulls >= accessModes.read];
        return listOf(asked, { repositoryId: repository.id, issues, pulls });
      },
    )
    .get(
      "/comments/:id",
      {
        operationId: "issueGetComment",
        summary: "Get a comment",
        params: { id },
        responses: { ...ok(Comment, "The comment"), ...noText },
      },
      async ({ repository, params, actor, credential }) => {
        const found = await getEntry(forge, repository, params.id);
        return found.comment.kind === "comment"
          ? json(200, await presentOneComment(forge, { actor, credential }, repository, found))
          : empty();
      },
    )
    .patch(
      "/comments/:id",
      {
        operationId: "issueEditComment",
        summary: "Edit a comment",
        description: "One's own, or any with write access. The former text is kept.",
        may: participates,
        params: { id },
        body: EditIssueCommentOption,
        responses: { ...ok(Comment, "The comment"), ...noText },
      },
      edit,
    )
    .delete(
      "/comments/:id",
      {
        operationId: "issueDeleteComment",
        summary: "Delete a comment",
        description: "One's own, or any with write access.",
        may: participates,
        params: { id },
        responses: done,
      },
      remove,
    );
}

/** Everything that happened to an issue, comments among it. */
export function timelineRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/issues/:index/timeline", {
    tag: "issue",
    scopes: ["issue"],
    may: reads,
    params: { index },
  }).get(
    "",
    {
      operationId: "issueGetCommentsAndTimeline",
      summary: "List everything that happened to an issue or a pull request, comments among it",
      description:
        "The oldest first. References from what the caller may not read are left out, and comments on lines for callers who may not read the code.",
      query: { ...spanQuery, ...pagingQuery },
      responses: ok(t.Array(TimelineComment), "The entries"),
    },
    async ({ request, repository, params, query, actor, credential }) => {
      const issue = await getIssueRow(forge, repository, params.index);
      const { db } = forge.database;
      const viewer = { actor, credential };
      const page = readPage(query);
      const of = { issueId: issue.id, readsCode: repository.units.code >= accessModes.read };
      const { rows, total } = await listTimeline(db, viewer, of, readCommentSpan(query), page);
      const found = await completeEntries(db, viewer, rows, repository.mode >= accessModes.admin);
      const entries = found.map((one) => presentEntry(forge, repository, issue, one, actor));
      return paged({ request, base: forge.addresses.base }, page, total, entries);
    },
  );
}

const ignored = { index: integer({ description: "Ignored" }), id };

/** Comments at the paths that the family has deprecated; the index in these paths has no meaning. */
export function deprecatedCommentRoutes(api: Api) {
  const { edit, remove } = prepareHandlers(api);

  return api
    .group("/repos/:owner/:repo/issues/:index/comments/:id", {
      tag: "issue",
      scopes: ["issue"],
      may: participates,
      params: ignored,
    })
    .patch(
      "",
      {
        operationId: "issueEditCommentDeprecated",
        summary: "Edit a comment",
        deprecated: true,
        body: EditIssueCommentOption,
        responses: { ...ok(Comment, "The comment"), ...noText },
      },
      edit,
    )
    .delete(
      "",
      { operationId: "issueDeleteCommentDeprecated", summary: "Delete a comment", deprecated: true, responses: done },
      remove,
    );
}

/** The list at the path in the singular that the specification has. */
export function singularCommentRoutes(api: Api) {
  const { listOfIssue } = prepareHandlers(api);

  return api.group("/repos/:owner/:repo/issue", { tag: "issue", scopes: ["issue"], may: reads }).get(
    "/:index/comments",
    {
      operationId: "issueGetCommentsSingular",
      summary: "List the comments of an issue or a pull request",
      description: "The same as at the path in the plural.",
      params: { index },
      query: listQuery,
      responses: ok(t.Array(Comment), "The comments"),
    },
    listOfIssue,
  );
}
