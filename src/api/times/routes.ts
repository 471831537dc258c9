import { t } from "elysia";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import { findVisibleUser } from "../../domain/identity/social/queries.ts";
import { listTimes, type TimeFilter, type TimeList } from "../../domain/work/times/queries.ts";
import { addTime, deleteTime, resetTimes, TimeTrackingOff } from "../../domain/work/times/track-time.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { readInstant, readSpan, zeroOfGo } from "../common/instants.ts";
import { paged, readPage, type AskedForList } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { badRequest, done, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentTimes } from "./present.ts";
import { AddTimeOption, TrackedTime } from "./schema.ts";

const index = rowId("Number of the issue or pull request");
const spanQuery = {
  since: t.Optional(t.String({ description: "Spent at this time or later" })),
  before: t.Optional(t.String({ description: "Spent at this time or earlier" })),
};
const listQuery = {
  user: t.Optional(t.String({ description: "Name of who spent it" })),
  ...spanQuery,
  ...pagingQuery,
};
const times = t.Array(TrackedTime);
const ownOnly = "The oldest first. Who may not write issues is told of their own times only.";

function checkTracked(access: RepositoryAccess): void {
  if (!access.repository.enableTimeTracker) {
    throw new TimeTrackingOff(access);
  }
}

/** The kinds of entries that this access may read; each value says whether they are pull requests. */
function kindsOf({ units }: RepositoryAccess): boolean[] {
  return [false, ...(units.pulls >= accessModes.read ? [true] : [])];
}

/** null: now. */
function readCreated(text: string | null | undefined): Date | null {
  const at = text == null ? null : readInstant(text, "created");
  return at?.getTime() === zeroOfGo ? null : at;
}

/** The parts that lists of tracked times share. */
function prepareLists({ forge }: Api) {
  const { db } = forge.database;

  async function list(asked: AskedForList, of: TimeList, filter: TimeFilter) {
    const { request, query, actor, credential } = asked;
    const viewer = { actor, credential };
    const page = readPage(query);
    const { rows, total } = await listTimes(db, of, filter, page);
    return paged({ request, base: forge.addresses.base }, page, total, await presentTimes(forge, viewer, rows));
  }

  /** Whose times a list has: those of whom it asks for, else everybody's (undefined), or one's own for who may not see those of others. */
  async function readUser(viewer: Viewer & { actor: Actor }, name: string | undefined, seesAll: boolean) {
    if (!name) {
      return seesAll ? undefined : viewer.actor.id;
    }
    const user = await findVisibleUser(db, viewer, name);
    if (user === null) {
      throw new NotFound("user", clip(name, 80));
    }
    if (!seesAll && user.id !== viewer.actor.id) {
      throw new Forbidden("The times of others are for those who may write the issues of the repository");
    }
    return user.id;
  }

  return { list, readUser };
}

/** Time that was spent on an issue. */
export function issueTimeRoutes(api: Api) {
  const { forge, group } = api;
  const { list, readUser } = prepareLists(api);

  return group("/repos/:owner/:repo/issues/:index/times", {
    tag: "issue",
    scopes: ["issue"],
    may: { on: "repository", do: "participate", unit: "issues-or-pulls" },
    params: { index, id: rowId("Id of the tracked time") },
  })
    .get(
      "",
      {
        operationId: "issueTrackedTimes",
        summary: "List the time that was spent on an issue or a pull request",
        description: ownOnly,
        may: { on: "repository", do: "read", unit: "issues-or-pulls" },
        signedIn: true,
        query: listQuery,
        responses: ok(times, "The times"),
      },
      async (asked) => {
        const { repository: access, params, query } = asked;
        const row = await getIssueRow(forge, access, params.index);
        if (!access.repository.enableTimeTracker) {
          throw new NotFound("tracked time of issue", String(params.index));
        }
        const seesAll = access.units[row.isPull ? "pulls" : "issues"] >= accessModes.write;
        const userId = await readUser(asked, query.user, seesAll);
        return list(asked, { issueId: row.id }, { userId, ...readSpan(query) });
      },
    )
    .post(
      "",
      {
        operationId: "issueAddTime",
        summary: "Add time that was spent on an issue or a pull request",
        description:
          "For those who may write it, its author and its assignees; for everybody who may take part where the repository says so.",
        body: AddTimeOption,
        responses: { ...ok(TrackedTime, "The time"), ...badRequest },
      },
      async ({ doer, repository, params, body, actor, credential }) => {
        const added = await forge.change(doer, (work) =>
          addTime(work, repository, params.index, {
            seconds: body.time,
            userName: body.user_name || null,
            createdAt: readCreated(body.created),
          }),
        );
        const [presented] = await presentTimes(forge, { actor, credential }, [added]);
        if (presented === undefined) {
          throw new Error("A time was presented as none");
        }
        return presented;
      },
    )
    .delete(
      "",
      {
        operationId: "issueResetTime",
        summary: "Delete all time that the caller spent on an issue or a pull request",
        responses: { ...done, ...badRequest },
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => resetTimes(work, repository, params.index));
        return empty();
      },
    )
    .delete(
      "/:id",
      {
        operationId: "issueDeleteTime",
        summary: "Delete one entry of time of the caller",
        description: "Site administrators delete those of others, too.",
        responses: { ...done, ...badRequest },
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => deleteTime(work, repository, params.index, params.id));
        return empty();
      },
    );
}

/** Time that was spent on the issues and pull requests of a repository. */
export function repositoryTimeRoutes(api: Api) {
  const { list, readUser } = prepareLists(api);

  return api
    .group("/repos/:owner/:repo/times", {
      tag: "repository",
      scopes: ["repository"],
      may: { on: "repository", do: "read", unit: "issues" },
      signedIn: true,
    })
    .get(
      "",
      {
        operationId: "repoTrackedTimes",
        summary: "List the time that was spent on the issues and pull requests of a repository",
        description: ownOnly,
        query: listQuery,
        responses: { ...ok(times, "The times"), ...badRequest },
      },
      async (asked) => {
        const { repository: access, query } = asked;
        checkTracked(access);
        const userId = await readUser(asked, query.user, access.units.issues >= accessModes.write);
        const of = { repositoryId: access.repository.id, kinds: kindsOf(access) };
        return list(asked, of, { userId, ...readSpan(query) });
      },
    )
    .get(
      "/:user",
      {
        operationId: "userTrackedTimes",
        summary: "List the time that a user spent on the issues and pull requests of a repository",
        deprecated: true,
        params: { user: t.String({ description: "Name of the user" }) },
        query: pagingQuery,
        responses: { ...ok(times, "The times"), ...badRequest },
      },
      async (asked) => {
        const { repository: access, params } = asked;
        checkTracked(access);
        const userId = await readUser(asked, params.user, access.units.issues >= accessModes.write);
        return list(asked, { repositoryId: access.repository.id, kinds: kindsOf(access) }, { userId });
      },
    );
}

/** Time that the signed-in user spent. */
export function ownTimeRoutes(api: Api) {
  const { list } = prepareLists(api);

  return api.group("/user/times", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } }).get(
    "",
    {
      operationId: "userCurrentTrackedTimes",
      summary: "List the time that the caller spent",
      description: "On the issues and pull requests that they may read, the oldest first.",
      query: { ...spanQuery, ...pagingQuery },
      responses: ok(times, "The times"),
    },
    (asked) => {
      const { actor, credential, query } = asked;
      return list(asked, { viewer: { actor, credential } }, { userId: actor.id, ...readSpan(query) });
    },
  );
}
