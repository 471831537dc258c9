import { t } from "elysia";
import type { Viewer } from "../../auth/viewer-of.ts";
import { isOver } from "../../domain/identity/quota/evaluate.ts";
import { listUsedPackages } from "../../domain/packages/queries.ts";
import { listUsageDays, mostDays } from "../../domain/identity/quota/history-queries.ts";
import { findGroupsOf, findUsage } from "../../domain/identity/quota/queries.ts";
import { quotaSubjects, type QuotaSubject } from "../../domain/identity/quota/subjects.ts";
import { listUsedArtifacts, listUsedAttachments } from "../../domain/identity/quota/used-queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { ok } from "../common/responses.ts";
import { integer, oneOf, pagingQuery } from "../common/schema.ts";
import {
  presentQuota,
  presentSizes,
  presentUsedArtifact,
  presentUsedAttachment,
  presentUsedPackage,
} from "./present.ts";
import { QuotaDay, QuotaInfo, QuotaUsedArtifact, QuotaUsedAttachment, QuotaUsedPackage } from "./schema.ts";

const check = {
  query: { subject: t.Optional(oneOf(quotaSubjects, "What may be limited; it has to be named")) },
  description:
    "`true` means that more is used than the quota groups allow. A rule decides about a subject that it has bytes in common with; without groups nothing is limited.",
  responses: ok(t.Boolean(), "Whether the quota is exceeded"),
};
const limited = "A token is shown what it may read by itself, and of what its scopes do not read what is public.";
const info = ok(QuotaInfo, "Use and groups");
const attachments = {
  description: limited,
  query: pagingQuery,
  responses: ok(t.Array(QuotaUsedAttachment), "Files of releases, issues and comments, the largest first"),
};

const artifacts = {
  description: limited,
  query: pagingQuery,
  responses: ok(t.Array(QuotaUsedArtifact), "Artifacts, the largest first"),
};

const packages = {
  description: limited,
  query: pagingQuery,
  responses: ok(t.Array(QuotaUsedPackage), "Versions of packages, the newest first"),
};
const history = {
  query: {
    days: t.Optional(
      integer({ minimum: 1, maximum: mostDays, description: "How many, today among them; 30 if absent" }),
    ),
  },
  description: "A day is written down every hour; one on which the server did not run has no entry.",
  responses: ok(t.Array(QuotaDay), "What was used on each day, the oldest first"),
};
const fewDays = 30;

/** Lists name files, so they show what the credential does. */
type AskedByViewer = Viewer & Pick<AskedForList, "request" | "query">;

/** Handlers for both kinds of owners. */
function prepare({ forge }: Api) {
  const { addresses, config, database } = forge;
  const load = (ownerId: number) =>
    Promise.all([findUsage(database.db, ownerId), findGroupsOf(database.db, ownerId, config.quota.default_groups)]);
  return {
    async info(ownerId: number) {
      const [usage, groups] = await load(ownerId);
      return presentQuota(usage, groups, false);
    },
    async isOver(ownerId: number, subject: QuotaSubject | undefined): Promise<boolean> {
      if (subject === undefined) {
        throw new InvalidInput("subject is required", "subject");
      }
      const [usage, groups] = await load(ownerId);
      return isOver(groups, usage, subject);
    },
    history: async (ownerId: number, days = fewDays) =>
      (await listUsageDays(database.db, ownerId, days)).map(({ day, usage }) => ({ day, size: presentSizes(usage) })),
    packages: (asked: AskedByViewer, owner: { id: number; name: string }) =>
      pageOf(
        { request: asked.request, query: asked.query, base: addresses.base },
        (page) => listUsedPackages(database.db, asked, owner.id, page),
        (row) => presentUsedPackage(addresses, owner.name, row),
      ),
    attachments: (asked: AskedByViewer, owner: { id: number; name: string }) =>
      pageOf(
        { request: asked.request, query: asked.query, base: addresses.base },
        (page) => listUsedAttachments(database.db, asked, owner.id, page),
        (row) => presentUsedAttachment(addresses, owner.name, row),
      ),
    artifacts: (asked: AskedByViewer, owner: { id: number; name: string }) =>
      pageOf(
        { request: asked.request, query: asked.query, base: addresses.base },
        (page) => listUsedArtifacts(database.db, asked, owner.id, page),
        (row) => presentUsedArtifact(addresses, owner.name, row),
      ),
  };
}

/** The use and the quota of the caller's own repositories. */
export function ownQuotaRoutes(api: Api) {
  const quota = prepare(api);
  return api
    .group("/user/quota", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "",
      {
        operationId: "userGetQuota",
        summary: "Get what the caller uses, and the quota groups that decide about them",
        responses: info,
      },
      ({ actor }) => quota.info(actor.id),
    )
    .get(
      "/check",
      { operationId: "userCheckQuota", summary: "Is the caller over a quota?", ...check },
      ({ actor, query }) => quota.isOver(actor.id, query.subject),
    )
    .get(
      "/history",
      { operationId: "userListQuotaHistory", summary: "List what the caller used on the last days", ...history },
      ({ actor, query }) => quota.history(actor.id, query.days),
    )
    .get(
      "/attachments",
      {
        operationId: "userListQuotaAttachments",
        summary: "List the files that count for the caller",
        ...attachments,
      },
      (asked) => quota.attachments(asked, asked.actor),
    )
    .get(
      "/artifacts",
      {
        operationId: "userListQuotaArtifacts",
        summary: "List the artifacts that count for the caller",
        ...artifacts,
      },
      (asked) => quota.artifacts(asked, asked.actor),
    )
    .get(
      "/packages",
      { operationId: "userListQuotaPackages", summary: "List the packages that count for the caller", ...packages },
      (asked) => quota.packages(asked, asked.actor),
    );
}

/** The use and the quota of an organization's repositories, for its owners. */
export function organizationQuotaRoutes(api: Api) {
  const quota = prepare(api);
  return api
    .group("/orgs/:org/quota", {
      tag: "organization",
      scopes: ["organization"],
      may: { on: "organization", do: "manage" },
    })
    .get(
      "",
      {
        operationId: "orgGetQuota",
        summary: "Get what an organization uses, and the quota groups that decide about it",
        responses: info,
      },
      ({ owner }) => quota.info(owner.owner.id),
    )
    .get(
      "/check",
      { operationId: "orgCheckQuota", summary: "Is an organization over a quota?", ...check },
      ({ owner, query }) => quota.isOver(owner.owner.id, query.subject),
    )
    .get(
      "/history",
      { operationId: "orgListQuotaHistory", summary: "List what an organization used on the last days", ...history },
      ({ owner, query }) => quota.history(owner.owner.id, query.days),
    )
    .get(
      "/attachments",
      {
        operationId: "orgListQuotaAttachments",
        summary: "List the files that count for an organization",
        ...attachments,
      },
      (asked) => quota.attachments(asked, asked.owner.owner),
    )
    .get(
      "/artifacts",
      {
        operationId: "orgListQuotaArtifacts",
        summary: "List the artifacts that count for an organization",
        ...artifacts,
      },
      (asked) => quota.artifacts(asked, asked.owner.owner),
    )
    .get(
      "/packages",
      { operationId: "orgListQuotaPackages", summary: "List the packages that count for an organization", ...packages },
      (asked) => quota.packages(asked, asked.owner.owner),
    );
}
