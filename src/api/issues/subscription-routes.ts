import { t } from "elysia";
import { findSubscription, pageOfSubscribers } from "../../domain/work/issues/subscription-queries.ts";
import { subscribe } from "../../domain/work/issues/subscribe.ts";
import { isConcerned } from "../../domain/work/notifications/recipient-queries.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { empty } from "../common/reply.ts";
import { ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { WatchInfo } from "../social/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";

const index = rowId("Number of the issue or pull request");
const user = t.String({ description: "Name of the user" });
const changed = {
  200: { description: "It was so before" },
  201: { description: "It is so now" },
};

/** The subscribers of an issue. */
export function issueSubscriptionRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const participate = { on: "repository", do: "participate", unit: "issues-or-pulls" } as const;
  const also = { user: { may: { on: "user", do: "see" }, named: { user: "user" } } } as const;

  return group("/repos/:owner/:repo/issues/:index/subscriptions", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "read", unit: "issues-or-pulls" },
  })
    .get(
      "",
      {
        operationId: "issueSubscriptions",
        summary: "List the users who subscribed to an issue",
        params: { index },
        query: pagingQuery,
        responses: ok(t.Array(User), "The users, by name"),
      },
      async (asked) => {
        const { repository, params, actor, credential } = asked;
        const { id } = await getIssueRow(forge, repository, params.index);
        return userPage(addresses, asked, (page) => pageOfSubscribers(database.db, { actor, credential }, id, page));
      },
    )
    .get(
      "/check",
      {
        operationId: "issueCheckSubscription",
        summary: "Tell whether the caller hears of an issue",
        description:
          "By a subscription, or because it concerns them: they wrote in it, have it, or watch the repository.",
        signedIn: true,
        params: { index },
        responses: ok(WatchInfo, "Whether they do"),
      },
      async ({ actor, repository: access, params }) => {
        const { owner, repository } = access;
        const row = await getIssueRow(forge, access, params.index);
        const subscribed =
          (await findSubscription(database.db, row.id, actor.id)) ?? (await isConcerned(database.db, row.id, actor.id));
        const url = addresses.repositoryApi(owner.name, repository.name);
        return {
          subscribed,
          ignored: !subscribed,
          reason: null,
          created_at: presentInstant(row.createdAt),
          url: `${url}/issues/${row.number}/subscriptions`,
          repository_url: url,
        };
      },
    )
    .put(
      "/:user",
      {
        operationId: "issueAddSubscription",
        summary: "Subscribe a user to an issue",
        description: "Everybody does so for themselves; site administrators do for others.",
        may: participate,
        params: { index, user },
        also,
        responses: changed,
      },
      async ({ doer, actor, repository, params, also }) => {
        const isNew = await forge.change(doer, (work) =>
          subscribe(work, repository, params.index, actor, also.user.owner, true),
        );
        return isNew ? empty(201) : empty(200);
      },
    )
    .delete(
      "/:user",
      {
        operationId: "issueDeleteSubscription",
        summary: "See to it that a user hears nothing of an issue",
        description: "Everybody does so for themselves; site administrators do for others.",
        may: participate,
        params: { index, user },
        also,
        responses: changed,
      },
      async ({ doer, actor, repository, params, also }) => {
        const isNew = await forge.change(doer, (work) =>
          subscribe(work, repository, params.index, actor, also.user.owner, false),
        );
        return isNew ? empty(201) : empty(200);
      },
    );
}
