import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import {
  createTagProtection,
  deleteTagProtection,
  editTagProtection,
} from "../../domain/git/protections/edit-tag-protection.ts";
import { findTagProtection, listTagProtections } from "../../domain/git/protections/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentTagProtection, readList } from "./present.ts";
import { CreateTagProtectionOption, EditTagProtectionOption, TagProtection } from "./schema.ts";

const id = rowId("Id of the protection");

/** The rules for a repository's tags. */
export function tagProtectionRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  return group("/repos/:owner/:repo/tag_protections", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
  })
    .get(
      "",
      {
        operationId: "repoListTagProtection",
        summary: "List the protections of tags",
        query: pagingQuery,
        responses: ok(t.Array(TagProtection), "The protections, oldest first"),
      },
      ({ request, repository, query }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) => listTagProtections(database.db, repository.repository.id, page),
          presentTagProtection,
        ),
    )
    .post(
      "",
      {
        operationId: "repoCreateTagProtection",
        summary: "Protect the tags whose names match a pattern",
        body: CreateTagProtectionOption,
        responses: made(TagProtection, "The protection"),
      },
      async ({ doer, repository, body }) => {
        const list = readList(body.whitelist_usernames, body.whitelist_teams) ?? {};
        const rule = await forge.change(doer, (work) =>
          createTagProtection(work, repository, body.name_pattern ?? "", list),
        );
        return created(presentTagProtection(rule));
      },
    )
    .get(
      "/:id",
      {
        operationId: "repoGetTagProtection",
        summary: "Get a protection of tags",
        params: { id },
        responses: ok(TagProtection, "The protection"),
      },
      async ({ repository, params }) => {
        const rule = await findTagProtection(database.db, repository.repository.id, params.id);
        if (rule === null) {
          throw new NotFound("tag protection", String(params.id));
        }
        return presentTagProtection(rule);
      },
    )
    .patch(
      "/:id",
      {
        operationId: "repoEditTagProtection",
        summary: "Change a protection of tags; only fields that are sent and not null are changed",
        params: { id },
        body: EditTagProtectionOption,
        responses: ok(TagProtection, "The protection"),
      },
      async ({ doer, repository, params, body }) => {
        const change = {
          ...readList(body.whitelist_usernames, body.whitelist_teams),
          namePattern: body.name_pattern ?? undefined,
        };
        const rule = await forge.change(doer, (work) => editTagProtection(work, repository, params.id, change));
        return presentTagProtection(rule);
      },
    )
    .delete(
      "/:id",
      {
        operationId: "repoDeleteTagProtection",
        summary: "Delete a protection of tags",
        params: { id },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteTagProtection(work, repository, params.id));
        return empty();
      },
    );
}
