import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import {
  createBranchProtection,
  deleteBranchProtection,
  editBranchProtection,
  orderBranchProtections,
} from "../../domain/git/protections/edit-branch-protection.ts";
import { findBranchProtection, listBranchProtections } from "../../domain/git/protections/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { presentBranchProtection, readBranchProtection } from "./present.ts";
import {
  BranchProtection,
  CreateBranchProtectionOption,
  EditBranchProtectionOption,
  UpdateBranchProtectionPriories,
} from "./schema.ts";

const name = t.String({ description: "The rule's name or pattern; a slash in it as %2F or as it is" });

/** The rules for a repository's branches. */
export function branchProtectionRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  return group("/repos/:owner/:repo/branch_protections", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
  })
    .get(
      "",
      {
        operationId: "repoListBranchProtection",
        summary: "List the protections of branches, in the order in which they are tried",
        query: pagingQuery,
        responses: ok(t.Array(BranchProtection), "The protections"),
      },
      ({ request, repository, query }) =>
        pageOf(
          { request, query, base: addresses.base },
          (page) => listBranchProtections(database.db, repository.repository.id, page),
          presentBranchProtection,
        ),
    )
    .post(
      "",
      {
        operationId: "repoCreateBranchProtection",
        summary: "Protect the branch of a name, or all whose names match a pattern",
        body: CreateBranchProtectionOption,
        responses: made(BranchProtection, "The protection"),
      },
      async ({ doer, repository, body }) => {
        const ruleName = body.rule_name || body.branch_name;
        if (!ruleName) {
          throw new InvalidInput("rule_name is required: the name of a branch, or a pattern", "rule_name");
        }
        const input = readBranchProtection(body);
        const rule = await forge.change(doer, (work) => createBranchProtection(work, repository, ruleName, input));
        return created(presentBranchProtection(rule));
      },
    )
    .post(
      "/priority",
      {
        operationId: "repoUpdateBranchProtectionPriories",
        summary: "Say in which order protections are tried",
        description:
          "Protections that are not named come behind those that are. One of a branch's exact name comes before all patterns.",
        body: UpdateBranchProtectionPriories,
        responses: done,
      },
      async ({ doer, repository, body }) => {
        await forge.change(doer, (work) => orderBranchProtections(work, repository, body.ids));
        return empty();
      },
    )
    .get(
      "/:name+",
      {
        operationId: "repoGetBranchProtection",
        summary: "Get a protection of branches",
        params: { name },
        responses: ok(BranchProtection, "The protection"),
      },
      async ({ repository, params }) => {
        const rule = await findBranchProtection(database.db, repository.repository.id, params.name);
        if (rule === null) {
          throw new NotFound("branch protection", params.name);
        }
        return presentBranchProtection(rule);
      },
    )
    .patch(
      "/:name+",
      {
        operationId: "repoEditBranchProtection",
        summary: "Change a protection of branches; only fields that are sent and not null are changed",
        params: { name },
        body: EditBranchProtectionOption,
        responses: ok(BranchProtection, "The protection"),
      },
      async ({ doer, repository, params, body }) => {
        const input = readBranchProtection(body);
        const rule = await forge.change(doer, (work) => editBranchProtection(work, repository, params.name, input));
        return presentBranchProtection(rule);
      },
    )
    .delete(
      "/:name+",
      {
        operationId: "repoDeleteBranchProtection",
        summary: "Delete a protection of branches",
        params: { name },
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteBranchProtection(work, repository, params.name));
        return empty();
      },
    );
}
