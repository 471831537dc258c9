import { t } from "elysia";
import type { OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { findOwner } from "../../domain/identity/owners/queries.ts";
import {
  addRule,
  createGroup,
  deleteGroup,
  getGroup,
  giveGroup,
  removeRule,
  setGroups,
  takeGroup,
} from "../../domain/identity/quota/edit-groups.ts";
import { createRule, deleteRule, editRule, getRule } from "../../domain/identity/quota/edit-rules.ts";
import {
  findGroupsOf,
  findUsage,
  listGroupOwners,
  listGroups,
  listRules,
} from "../../domain/identity/quota/queries.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, invalid, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { presentGroup, presentQuota, presentRule } from "./present.ts";
import {
  CreateQuotaGroupOptions,
  CreateQuotaRuleOptions,
  EditQuotaRuleOptions,
  QuotaGroup,
  QuotaInfo,
  QuotaRuleInfo,
  SetUserQuotaGroupsOptions,
} from "./schema.ts";

const administers = { on: "instance", do: "administer" } as const;
const quotarule = t.String({ description: "Name of the rule" });
const quotagroup = t.String({ description: "Name of the group" });
const username = t.String({ description: "Name of the user or organization" });

/** Rules of quotas: a limit on some subjects each. */
export function quotaRuleRoutes({ forge, group }: Api) {
  const { db } = forge.database;
  return group("/admin/quota/rules", { tag: "admin", scopes: ["admin"], may: administers })
    .get(
      "",
      {
        operationId: "adminListQuotaRules",
        summary: "List all quota rules",
        responses: ok(t.Array(QuotaRuleInfo), "The rules, by name"),
      },
      async () => (await listRules(db)).map((rule) => presentRule(rule)),
    )
    .post(
      "",
      {
        operationId: "adminCreateQuotaRule",
        summary: "Create a quota rule",
        body: CreateQuotaRuleOptions,
        responses: { ...made(QuotaRuleInfo, "The rule"), ...conflict },
      },
      async ({ doer, body }) => created(presentRule(await forge.change(doer, (work) => createRule(work, body)))),
    )
    .get(
      "/:quotarule",
      {
        operationId: "adminGetQuotaRule",
        summary: "Get a quota rule",
        params: { quotarule },
        responses: { ...ok(QuotaRuleInfo, "The rule"), ...notFound },
      },
      async ({ params }) => presentRule(await getRule(db, params.quotarule)),
    )
    .patch(
      "/:quotarule",
      {
        operationId: "adminEditQuotaRule",
        summary: "Change a quota rule, in every group that has it",
        params: { quotarule },
        body: EditQuotaRuleOptions,
        responses: { ...ok(QuotaRuleInfo, "The rule"), ...notFound },
      },
      async ({ doer, params, body }) =>
        presentRule(await forge.change(doer, (work) => editRule(work, params.quotarule, body))),
    )
    .delete(
      "/:quotarule",
      {
        operationId: "adminDEleteQuotaRule",
        summary: "Delete a quota rule, also from the groups that have it",
        params: { quotarule },
        responses: { ...done, ...notFound },
      },
      async ({ doer, params }) => {
        await forge.change(doer, (work) => deleteRule(work, params.quotarule));
        return empty();
      },
    );
}

/** Groups of rules, and who has them. */
export function quotaGroupRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;
  const { db } = database;
  return group("/admin/quota/groups", { tag: "admin", scopes: ["admin"], may: administers })
    .get(
      "",
      {
        operationId: "adminListQuotaGroups",
        summary: "List all quota groups",
        responses: ok(t.Array(QuotaGroup), "The groups, by name"),
      },
      async () => (await listGroups(db)).map((one) => presentGroup(one)),
    )
    .post(
      "",
      {
        operationId: "adminCreateQuotaGroup",
        summary: "Create a quota group, and rules with it",
        body: CreateQuotaGroupOptions,
        responses: { ...made(QuotaGroup, "The group"), ...notFound, ...conflict },
      },
      async ({ doer, body }) => created(presentGroup(await forge.change(doer, (work) => createGroup(work, body)))),
    )
    .get(
      "/:quotagroup",
      {
        operationId: "adminGetQuotaGroup",
        summary: "Get a quota group",
        params: { quotagroup },
        responses: { ...ok(QuotaGroup, "The group"), ...notFound },
      },
      async ({ params }) => presentGroup(await getGroup(db, params.quotagroup)),
    )
    .delete(
      "/:quotagroup",
      {
        operationId: "adminDeleteQuotaGroup",
        summary: "Delete a quota group; its rules stay, and who had it has it no longer",
        params: { quotagroup },
        responses: { ...done, ...notFound },
      },
      async ({ doer, params }) => {
        await forge.change(doer, (work) => deleteGroup(work, params.quotagroup));
        return empty();
      },
    )
    .put(
      "/:quotagroup/rules/:quotarule",
      {
        operationId: "adminAddRuleToQuotaGroup",
        summary: "Add a rule to a quota group",
        params: { quotagroup, quotarule },
        responses: { ...done, ...notFound, ...conflict, ...invalid },
      },
      async ({ doer, params }) => {
        await forge.change(doer, (work) => addRule(work, params.quotagroup, params.quotarule));
        return empty();
      },
    )
    .delete(
      "/:quotagroup/rules/:quotarule",
      {
        operationId: "adminRemoveRuleFromQuotaGroup",
        summary: "Take a rule from a quota group",
        params: { quotagroup, quotarule },
        responses: { ...done, ...notFound },
      },
      async ({ doer, params }) => {
        await forge.change(doer, (work) => removeRule(work, params.quotagroup, params.quotarule));
        return empty();
      },
    )
    .get(
      "/:quotagroup/users",
      {
        operationId: "adminListUsersInQuotaGroup",
        summary: "List who was given a quota group: users and organizations",
        params: { quotagroup },
        query: pagingQuery,
        responses: { ...ok(t.Array(User), "Users and organizations, by name"), ...notFound },
      },
      async (asked) => {
        const { id } = await getGroup(db, asked.params.quotagroup);
        return userPage(addresses, asked, (page) => listGroupOwners(db, id, page));
      },
    )
    .put(
      "/:quotagroup/users/:username",
      {
        operationId: "adminAddUserToQuotaGroup",
        summary: "Give a quota group to a user or an organization",
        params: { quotagroup, username },
        responses: { ...done, ...notFound, ...conflict, ...invalid },
      },
      async ({ doer, params }) => {
        const owner = await getOwner(forge, params.username);
        await forge.change(doer, (work) => giveGroup(work, params.quotagroup, owner));
        return empty();
      },
    )
    .delete(
      "/:quotagroup/users/:username",
      {
        operationId: "adminRemoveUserFromQuotaGroup",
        summary: "Take a quota group from a user or an organization",
        params: { quotagroup, username },
        responses: { ...done, ...notFound },
      },
      async ({ doer, params }) => {
        const owner = await getOwner(forge, params.username);
        await forge.change(doer, (work) => takeGroup(work, params.quotagroup, owner));
        return empty();
      },
    );
}

/** The quota of any user or organization, for site administrators. */
export function userQuotaRoutes({ forge, group }: Api) {
  const { db } = forge.database;
  return group("/admin/users/:username/quota", { tag: "admin", scopes: ["admin"], may: administers })
    .get(
      "",
      {
        operationId: "adminGetUserQuota",
        summary: "Get what a user or an organization uses, and the groups that decide about them",
        params: { username },
        responses: { ...ok(QuotaInfo, "Use and groups"), ...notFound, ...invalid },
      },
      async ({ params }) => {
        const { id } = await getOwner(forge, params.username);
        const [usage, groups] = await Promise.all([
          findUsage(db, id),
          findGroupsOf(db, id, forge.config.quota.default_groups),
        ]);
        return presentQuota(usage, groups, true);
      },
    )
    .post(
      "/groups",
      {
        operationId: "adminSetUserQuotaGroups",
        summary: "Give a user or an organization these quota groups and no others",
        params: { username },
        body: SetUserQuotaGroupsOptions,
        responses: { ...done, ...notFound },
      },
      async ({ doer, params, body }) => {
        const owner = await getOwner(forge, params.username);
        await forge.change(doer, (work) => setGroups(work, owner, body.groups ?? []));
        return empty();
      },
    );
}

/** The user or organization of a name. Throws NotFound. */
async function getOwner({ database }: Api["forge"], name: string): Promise<OwnerRow> {
  const owner = await findOwner(database.db, name);
  if (owner === null) {
    throw new NotFound("user", clip(name, 80));
  }
  return owner;
}
