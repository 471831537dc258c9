import { t } from "elysia";
import type { ScopeCategory } from "../../auth/scopes.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { Forbidden } from "../../domain/spine/errors.ts";
import { namedOwner, namedRepository, type NamedOwner } from "../../domain/spine/events/names.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listDeliveries } from "../../domain/exchange/hooks/history-queries.ts";
import { createHook, deleteHook, editHook, requireHooks } from "../../domain/exchange/hooks/edit-hook.ts";
import { getDelivery, getHook, redeliver } from "../../domain/exchange/hooks/history.ts";
import type { HookPlace } from "../../domain/exchange/hooks/hook-place.ts";
import { showAuthorization } from "../../domain/exchange/hooks/hook-secrets.ts";
import { listHooks, type HookRow } from "../../domain/exchange/hooks/queries.ts";
import { testHook } from "../../domain/exchange/hooks/test-hook.ts";
import type { Api } from "../common/api.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentDelivery, presentDeliveryItem, presentHook } from "./present.ts";
import { CreateHookOption, EditHookOption, Hook, HookDelivery, HookDeliveryItem } from "./schema.ts";

const id = rowId("Id of the webhook");
const deliveryId = rowId("Id of the delivery");

/** The parts of the declarations that all places share. */
const list = {
  summary: "List webhooks",
  query: pagingQuery,
  responses: ok(t.Array(Hook), "The webhooks, oldest first"),
};
const create = {
  summary: "Create a webhook",
  description: "A token needs the scope that reads each of the events, too.",
  givesAccess: "by some changes",
  body: CreateHookOption,
  responses: made(Hook, "The webhook"),
} as const;
const get = { summary: "Get a webhook", params: { id }, responses: { ...ok(Hook, "The webhook"), ...notFound } };
const edit = {
  summary: "Change a webhook; what is not sent stays",
  params: { id },
  givesAccess: "by some changes",
  body: EditHookOption,
  responses: { ...ok(Hook, "The webhook"), ...notFound },
} as const;
const remove = { summary: "Delete a webhook", params: { id }, responses: { ...done, ...notFound } };
const deliveries = {
  summary: "List what was sent to a webhook",
  params: { id },
  query: pagingQuery,
  responses: { ...ok(t.Array(HookDeliveryItem), "The deliveries, newest first"), ...notFound },
};
const delivery = {
  summary: "Get a delivery with its request and the answer",
  description: "A token needs the scope that reads the event, too.",
  params: { id, delivery_id: deliveryId },
  responses: { ...ok(HookDelivery, "The delivery"), ...notFound },
};
const again = {
  summary: "Send a delivery once more",
  description: "It comes behind what waits for the webhook. A token needs the scope that reads the event, too.",
  params: { id, delivery_id: deliveryId },
  responses: { 202: { description: "It will be sent" }, ...notFound },
};

interface OfHook {
  params: { id: number };
}
interface OfDelivery {
  params: { id: number; delivery_id: number };
}
interface Doing {
  doer: UserDoer;
}

type AskedForDeliveries = Doing & Pick<AskedForList, "request" | "query"> & OfHook;

/** The handlers that all places share. */
function operations(forge: Forge, category: ScopeCategory) {
  const { addresses, database } = forge;
  const present = (doer: UserDoer, hook: HookRow) => presentHook(hook, showAuthorization(forge, doer, category, hook));
  return {
    list(place: HookPlace, { doer, request, query }: Doing & Pick<AskedForList, "request" | "query">) {
      requireHooks(forge);
      const asked = { request, query, base: addresses.base };
      return pageOf(
        asked,
        (page) => listHooks(database.db, place, page),
        (hook) => present(doer, hook),
      );
    },
    async create(place: HookPlace, { doer, body }: Doing & { body: typeof CreateHookOption.static }) {
      const input = {
        kind: body.type,
        config: body.config,
        events: body.events ?? undefined,
        branchFilter: body.branch_filter,
        active: body.active,
        authorization: body.authorization_header,
        system: place.on === "instance" && (body.is_system_webhook ?? body.config["is_system_webhook"] === "true"),
      };
      return created(present(doer, await forge.change(doer, (work) => createHook(forge, work, place, input))));
    },
    async get(place: HookPlace, { doer, params }: Doing & OfHook) {
      requireHooks(forge);
      return present(doer, await getHook(database.db, place, params.id));
    },
    async edit(place: HookPlace, { doer, params, body }: Doing & OfHook & { body: typeof EditHookOption.static }) {
      const input = {
        config: body.config ?? undefined,
        events: body.events ?? undefined,
        branchFilter: body.branch_filter,
        active: body.active ?? undefined,
        authorization: body.authorization_header,
      };
      return present(doer, await forge.change(doer, (work) => editHook(forge, work, place, params.id, input)));
    },
    async remove(place: HookPlace, { doer, params }: Doing & OfHook) {
      await forge.change(doer, (work) => deleteHook(forge, work, place, params.id));
      return empty();
    },
    async deliveries(place: HookPlace, { doer, request, query, params }: AskedForDeliveries) {
      requireHooks(forge);
      const hook = await getHook(database.db, place, params.id);
      const asked = { request, query, base: addresses.base };
      return pageOf(asked, (page) => listDeliveries(database.db, doer, hook.id, page), presentDeliveryItem);
    },
    async delivery(place: HookPlace, { doer, params }: Doing & OfDelivery) {
      requireHooks(forge);
      const { found, hook } = await getDelivery(database.db, doer, place, params.id, params.delivery_id);
      return presentDelivery(found, hook);
    },
    async again(place: HookPlace, { doer, params }: Doing & OfDelivery) {
      requireHooks(forge);
      await forge.change(doer, (work) => redeliver(work, place, params.id, params.delivery_id));
      return empty(202);
    },
  };
}

const ofRepository = (access: RepositoryAccess): HookPlace => ({
  on: "repository",
  repository: namedRepository(access),
});
const ofOwner = (owner: NamedOwner): HookPlace => ({ on: "owner", owner: namedOwner(owner) });
const ofInstance: HookPlace = { on: "instance" };

/** Webhooks of repositories: listed, made, read, changed, deleted, tried out; and what was sent to them. */
export function repositoryHookRoutes({ forge, group }: Api) {
  const hooks = operations(forge, "repository");
  return group("/repos/:owner/:repo/hooks", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
    // Webhooks of an archived repository can be removed, too.
    onArchived: "allowed",
  })
    .get("", { operationId: "repoListHooks", ...list }, (of) => hooks.list(ofRepository(of.repository), of))
    .post("", { operationId: "repoCreateHook", ...create }, (of) => hooks.create(ofRepository(of.repository), of))
    .get("/:id", { operationId: "repoGetHook", ...get }, (of) => hooks.get(ofRepository(of.repository), of))
    .patch("/:id", { operationId: "repoEditHook", ...edit }, (of) => hooks.edit(ofRepository(of.repository), of))
    .delete("/:id", { operationId: "repoDeleteHook", ...remove }, (of) => hooks.remove(ofRepository(of.repository), of))
    .post(
      "/:id/tests",
      {
        operationId: "repoTestHook",
        summary: "Tell a webhook of the newest commit, as if it had been pushed just now",
        params: { id },
        query: { ref: t.Optional(t.String({ description: "A branch or tag; the default branch if absent" })) },
        responses: done,
      },
      async ({ doer, repository, params, query }) => {
        requireHooks(forge);
        await testHook(forge, doer, repository, params.id, query.ref ?? "");
        return empty();
      },
    )
    .get("/:id/deliveries", { operationId: "repoListHookDeliveries", ...deliveries }, (of) =>
      hooks.deliveries(ofRepository(of.repository), of),
    )
    .get("/:id/deliveries/:delivery_id", { operationId: "repoGetHookDelivery", ...delivery }, (of) =>
      hooks.delivery(ofRepository(of.repository), of),
    )
    .post("/:id/deliveries/:delivery_id/attempts", { operationId: "repoRedeliverHook", ...again }, (of) =>
      hooks.again(ofRepository(of.repository), of),
    );
}

/** Webhooks of organizations, which hear what happens to all their repositories. */
export function organizationHookRoutes({ forge, group }: Api) {
  const hooks = operations(forge, "organization");
  return group("/orgs/:org/hooks", {
    tag: "organization",
    scopes: ["organization"],
    may: { on: "organization", do: "manage" },
  })
    .get("", { operationId: "orgListHooks", ...list }, (of) => hooks.list(ofOwner(of.owner.owner), of))
    .post("", { operationId: "orgCreateHook", ...create }, (of) => hooks.create(ofOwner(of.owner.owner), of))
    .get("/:id", { operationId: "orgGetHook", ...get }, (of) => hooks.get(ofOwner(of.owner.owner), of))
    .patch("/:id", { operationId: "orgEditHook", ...edit }, (of) => hooks.edit(ofOwner(of.owner.owner), of))
    .delete("/:id", { operationId: "orgDeleteHook", ...remove }, (of) => hooks.remove(ofOwner(of.owner.owner), of))
    .get("/:id/deliveries", { operationId: "orgListHookDeliveries", ...deliveries }, (of) =>
      hooks.deliveries(ofOwner(of.owner.owner), of),
    )
    .get("/:id/deliveries/:delivery_id", { operationId: "orgGetHookDelivery", ...delivery }, (of) =>
      hooks.delivery(ofOwner(of.owner.owner), of),
    )
    .post("/:id/deliveries/:delivery_id/attempts", { operationId: "orgRedeliverHook", ...again }, (of) =>
      hooks.again(ofOwner(of.owner.owner), of),
    );
}

/** Webhooks of users, which hear what happens to all their repositories. */
export function userHookRoutes({ forge, group }: Api) {
  const hooks = operations(forge, "user");
  return group("/user/hooks", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get("", { operationId: "userListHooks", ...list }, (of) => hooks.list(ofOwner(of.actor), of))
    .post("", { operationId: "userCreateHook", ...create }, (of) => hooks.create(ofOwner(of.actor), of))
    .get("/:id", { operationId: "userGetHook", ...get }, (of) => hooks.get(ofOwner(of.actor), of))
    .patch("/:id", { operationId: "userEditHook", ...edit }, (of) => hooks.edit(ofOwner(of.actor), of))
    .delete("/:id", { operationId: "userDeleteHook", ...remove }, (of) => hooks.remove(ofOwner(of.actor), of))
    .get("/:id/deliveries", { operationId: "userListHookDeliveries", ...deliveries }, (of) =>
      hooks.deliveries(ofOwner(of.actor), of),
    )
    .get("/:id/deliveries/:delivery_id", { operationId: "userGetHookDelivery", ...delivery }, (of) =>
      hooks.delivery(ofOwner(of.actor), of),
    )
    .post("/:id/deliveries/:delivery_id/attempts", { operationId: "userRedeliverHook", ...again }, (of) =>
      hooks.again(ofOwner(of.actor), of),
    );
}

/** Webhooks of the instance: those for all events, and those that new repositories get. */
export function adminHookRoutes({ forge, group }: Api) {
  const hooks = operations(forge, "admin");
  return group("/admin/hooks", { tag: "admin", scopes: ["admin"], may: { on: "instance", do: "administer" } })
    .get("", { operationId: "adminListHooks", ...list }, (of) => hooks.list(ofInstance, of))
    .post("", { operationId: "adminCreateHook", ...create }, (of) => hooks.create(ofInstance, of))
    .get("/:id", { operationId: "adminGetHook", ...get }, (of) => hooks.get(ofInstance, of))
    .patch("/:id", { operationId: "adminEditHook", ...edit }, (of) => hooks.edit(ofInstance, of))
    .delete("/:id", { operationId: "adminDeleteHook", ...remove }, (of) => hooks.remove(ofInstance, of))
    .get("/:id/deliveries", { operationId: "adminListHookDeliveries", ...deliveries }, (of) =>
      hooks.deliveries(ofInstance, of),
    )
    .get("/:id/deliveries/:delivery_id", { operationId: "adminGetHookDelivery", ...delivery }, (of) =>
      hooks.delivery(ofInstance, of),
    )
    .post("/:id/deliveries/:delivery_id/attempts", { operationId: "adminRedeliverHook", ...again }, (of) =>
      hooks.again(ofInstance, of),
    );
}

const GitHook = t.Object(
  { content: t.Optional(t.String()), is_active: t.Boolean(), name: t.String() },
  { $id: "GitHook" },
);
const EditGitHookOption = t.Object({ content: t.Optional(t.String()) }, { $id: "EditGitHookOption" });

function refuse(): never {
  throw new Forbidden("This server runs no scripts for repositories; a webhook tells of pushes instead");
}

/** The family's scripts that run with a push. There are none here: the server runs no programs of its users. */
export function gitHookRoutes({ group }: Api) {
  const scripts = group("/repos/:owner/:repo/hooks/git", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
    onArchived: "allowed",
  });
  const name = { id: t.String({ description: "Name of the script" }) };
  const description = "Always 403: the server runs no scripts for repositories.";
  return scripts
    .get(
      "",
      {
        operationId: "repoListGitHooks",
        summary: "List scripts",
        description,
        query: pagingQuery,
        responses: ok(t.Array(GitHook), "Never"),
      },
      refuse,
    )
    .get(
      "/:id",
      {
        operationId: "repoGetGitHook",
        summary: "Get a script",
        description,
        params: name,
        responses: ok(GitHook, "Never"),
      },
      refuse,
    )
    .patch(
      "/:id",
      {
        operationId: "repoEditGitHook",
        summary: "Change a script",
        description,
        params: name,
        body: EditGitHookOption,
        responses: ok(GitHook, "Never"),
      },
      refuse,
    )
    .delete(
      "/:id",
      { operationId: "repoDeleteGitHook", summary: "Delete a script", description, params: name, responses: done },
      refuse,
    );
}
