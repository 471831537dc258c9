import { t } from "elysia";
import type { Actor, OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { knownUsers } from "../../domain/work/comments/queries.ts";
import { addReaction, removeReaction, type ReactionTarget } from "../../domain/work/comments/react.ts";
import { listReactions, type ReactedTo, type ReactionRow } from "../../domain/work/comments/reaction-queries.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { paged, readPage, type AskedForList } from "../common/paging.ts";
import { empty, json } from "../common/reply.ts";
import { dateTime, nullable, pagingQuery, rowId } from "../common/schema.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { getEntry } from "./find-comment.ts";

const Reaction = t.Object(
  { content: t.String({ description: "A name such as heart" }), created_at: dateTime(), user: nullable(User) },
  { $id: "Reaction" },
);

const EditReactionOption = t.Object(
  { content: t.Optional(t.String({ description: "A name such as heart; settings/ui tells which there are" })) },
  { $id: "EditReactionOption" },
);

const index = rowId("Number of the issue or pull request");
const id = rowId("Id of the comment");
const reads = { on: "repository", do: "read", unit: "issues-or-pulls" } as const;
const participates = { on: "repository", do: "participate", unit: "issues-or-pulls" } as const;
const list = { 200: { description: "The reactions", schema: t.Array(Reaction) } };
const added = {
  200: { description: "The reaction, which was there already", schema: Reaction },
  201: { description: "The reaction", schema: Reaction },
};
const removed = { 200: { description: "It is not there, or not any more" } };

export function reactionRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  const present = ({ content, createdAt }: ReactionRow, user: OwnerRow | null, viewer: Actor | null) => ({
    content,
    created_at: presentInstant(createdAt),
    user: user === null ? null : presentOwner(addresses, user, viewer),
  });

  async function listOf({ request, query, actor, credential }: AskedForList, to: ReactedTo) {
    const page = readPage(query);
    const { rows, total } = await listReactions(database.db, to, page);
    const known = await knownUsers(
      database.db,
      { actor, credential },
      rows.map(({ user }) => user.id),
    );
    const reactions = rows.map(({ reaction, user }) => present(reaction, known.get(user.id) ?? null, actor));
    return paged({ request, base: addresses.base }, page, total, reactions);
  }

  interface Asked {
    doer: UserDoer;
    repository: RepositoryAccess;
    actor: Actor;
    body: { content?: string };
  }

  async function add({ doer, repository, actor, body }: Asked, target: ReactionTarget) {
    const made = await forge.change(doer, (work) => addReaction(work, repository, target, body.content ?? ""));
    const value = present(made.reaction, actor, actor);
    return made.added ? json(201, value) : json(200, value);
  }

  async function remove({ doer, repository, body }: Asked, target: ReactionTarget) {
    await forge.change(doer, (work) => removeReaction(work, repository, target, body.content ?? ""));
    return empty(200);
  }

  return group("/repos/:owner/:repo/issues", { tag: "issue", scopes: ["issue"], may: reads })
    .get(
      "/:index/reactions",
      {
        operationId: "issueGetIssueReactions",
        summary: "List the reactions to an issue or a pull request",
        params: { index },
        query: pagingQuery,
        responses: list,
      },
      async (asked) => {
        const { id: issueId } = await getIssueRow(forge, asked.repository, asked.params.index);
        return listOf(asked, { issueId, commentId: null });
      },
    )
    .post(
      "/:index/reactions",
      {
        operationId: "issuePostIssueReaction",
        summary: "React to an issue or a pull request",
        may: participates,
        params: { index },
        body: EditReactionOption,
        responses: added,
      },
      (asked) => add(asked, { number: asked.params.index }),
    )
    .delete(
      "/:index/reactions",
      {
        operationId: "issueDeleteIssueReaction",
        summary: "Take one's reaction to an issue or a pull request away",
        may: participates,
        params: { index },
        body: EditReactionOption,
        responses: removed,
      },
      (asked) => remove(asked, { number: asked.params.index }),
    )
    .get(
      "/comments/:id/reactions",
      {
        operationId: "issueGetCommentReactions",
        summary: "List the reactions to a comment",
        params: { id },
        query: pagingQuery,
        responses: list,
      },
      async (asked) => {
        const { comment } = await getEntry(forge, asked.repository, asked.params.id);
        if (comment.kind !== "comment") {
          throw new NotFound("comment", String(comment.id));
        }
        return listOf(asked, { issueId: comment.issueId, commentId: comment.id });
      },
    )
    .post(
      "/comments/:id/reactions",
      {
        operationId: "issuePostCommentReaction",
        summary: "React to a comment",
        may: participates,
        params: { id },
        body: EditReactionOption,
        responses: added,
      },
      (asked) => add(asked, { commentId: asked.params.id }),
    )
    .delete(
      "/comments/:id/reactions",
      {
        operationId: "issueDeleteCommentReaction",
        summary: "Take one's reaction to a comment away",
        may: participates,
        params: { id },
        body: EditReactionOption,
        responses: removed,
      },
      (asked) => remove(asked, { commentId: asked.params.id }),
    );
}
