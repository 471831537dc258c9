import { t } from "elysia";
import { packageTypes } from "../../db/schema/packages.ts";
import { listCleanupRules } from "../../domain/packages/cleanup-queries.ts";
import {
  deleteCleanupRule,
  getCleanupRule,
  previewPage,
  setCleanupRule,
} from "../../domain/packages/clean-packages.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, notFound, ok } from "../common/responses.ts";
import { oneOf, pagingQuery } from "../common/schema.ts";
import { presentCleanupRule, presentVersions } from "./present.ts";
import { Package, PackageCleanupRule, SetPackageCleanupRuleOption } from "./schema.ts";

const params = { type: oneOf(packageTypes, "Format of the packages") };

/**
 * The rules by which versions of an owner's packages are deleted automatically. The family has them on pages only;
 * these operations are this server's own. A caller who manages the owner sees and sets the rules, because they concern
 * packages of all its repositories.
 */
export function packageCleanupRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const { db } = database;

  return group("/packages/:owner/-/cleanup_rules", {
    tag: "package",
    scopes: ["package"],
    may: { on: "owner", do: "manage" },
  })
    .get(
      "",
      {
        operationId: "listPackageCleanupRules",
        summary: "List an owner's cleanup rules, by format",
        responses: { ...ok(t.Array(PackageCleanupRule), "The rules: one for each format at most"), ...notFound },
      },
      async ({ owner: { owner } }) => (await listCleanupRules(db, owner.id)).map(presentCleanupRule),
    )
    .get(
      "/:type",
      {
        operationId: "getPackageCleanupRule",
        summary: "Get the cleanup rule of a format",
        params,
        responses: { ...ok(PackageCleanupRule, "The rule"), ...notFound },
      },
      async ({ owner: { owner }, params: { type } }) => presentCleanupRule(await getCleanupRule(db, owner.id, type)),
    )
    .put(
      "/:type",
      {
        operationId: "setPackageCleanupRule",
        summary: "Set the cleanup rule of a format",
        description: "The server follows an enabled rule once a day, and after a change at its next full hour.",
        params,
        body: SetPackageCleanupRuleOption,
        responses: { ...ok(PackageCleanupRule, "The rule as it is now"), ...notFound },
      },
      async ({ owner: { owner }, params: { type }, doer, body }) => {
        const rule = {
          enabled: body.enabled ?? true,
          keepCount: body.keep_count ?? 0,
          keepPattern: body.keep_pattern ?? "",
          removeDays: body.remove_days ?? 0,
          removePattern: body.remove_pattern ?? "",
          matchFullName: body.match_full_name ?? false,
        };
        return presentCleanupRule(await forge.change(doer, (work) => setCleanupRule(work, owner, type, rule)));
      },
    )
    .delete(
      "/:type",
      {
        operationId: "deletePackageCleanupRule",
        summary: "Delete the cleanup rule of a format",
        params,
        responses: { ...done, ...notFound },
      },
      async ({ owner: { owner }, params: { type }, doer }) => {
        await forge.change(doer, (work) => deleteCleanupRule(work, owner, type));
        return empty();
      },
    )
    .get(
      "/:type/preview",
      {
        operationId: "previewPackageCleanupRule",
        summary: "List the versions that the cleanup rule of a format would delete now",
        description: "Nothing is deleted. A rule that is not enabled is previewed as if it were.",
        params,
        query: pagingQuery,
        responses: { ...ok(t.Array(Package), "The versions"), ...notFound },
      },
      async ({ request, query, owner: { owner }, params: { type }, actor, credential }) => {
        const page = readPage(query);
        const { rows, total } = await previewPage(db, await getCleanupRule(db, owner.id, type), page);
        const presented = await presentVersions(forge, { actor, credential }, owner, rows);
        return paged({ request, base: addresses.base }, page, total, presented);
      },
    );
}
