import { t } from "elysia";
import type { Viewer } from "../../auth/viewer-of.ts";
import {
  notificationStatuses,
  type NotificationStatus,
  type NotificationSubject,
} from "../../db/schema/notifications.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { markAll, markOne, mostShown } from "../../domain/work/notifications/mark.ts";
import { countNotifications, findNotifications, listNotifications } from "../../domain/work/notifications/queries.ts";
import { InvalidInput, StithyError } from "../../lib/errors.ts";
import { showValue } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { readEnd, readSpan } from "../common/instants.ts";
import { paged, readPage, type AskedForList } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { badRequest, notFound, ok } from "../common/responses.ts";
import { inAnyCase, oneOf, pagingQuery, rowId } from "../common/schema.ts";
import { followsSpecification } from "../common/specification-clients.ts";
import { presentThreads } from "./present.ts";
import { NotificationCount, NotificationThread } from "./schema.ts";

const statusTypes = t.Optional(t.Array(t.String(), { description: "Those that are unread, read or pinned" }));
const listQuery = {
  all: t.Optional(t.Boolean({ description: "Those that were read, too; status-types says nothing then" })),
  "status-types": statusTypes,
  "subject-type": t.Optional(
    t.Array(inAnyCase(oneOf(["issue", "pull", "commit", "repository"])), {
      description: "Those about subjects of these kinds. There are none about commits",
    }),
  ),
  since: t.Optional(t.String({ description: "Those of this time (RFC 3339) and after it" })),
  before: t.Optional(t.String({ description: "Those of this time (RFC 3339) and before it" })),
  ...pagingQuery,
};
const markQuery = {
  last_read_at: t.Optional(t.String({ description: "Nothing that happened after this time (RFC 3339); now" })),
  all: t.Optional(t.String({ description: "true: those of every status; status-types says nothing then" })),
  "status-types": statusTypes,
  "to-status": t.Optional(t.String({ description: "read, unread or pinned; read" })),
};
const marked = {
  200: {
    description: `What was marked: the latest ${mostShown} of it`,
    schema: t.Array(NotificationThread),
  },
  205: { description: "Marked, for plain HTTP tools (api.specification_clients)" },
};

interface ListQuery {
  all?: boolean;
  "status-types"?: string[];
  "subject-type"?: ("commit" | NotificationSubject)[];
  since?: string;
  before?: string;
  page?: number;
  limit?: number;
}

interface MarkQuery {
  last_read_at?: string;
  all?: string;
  "status-types"?: string[];
  "to-status"?: string;
}

/** A parameter of an operation that marks notifications, which answers 400 where others answer 422. */
class UnreadableParameter extends StithyError {
  constructor({ message, data }: InvalidInput) {
    super("malformed", "unreadable-parameter", message, data);
  }
}

function readStatus(text: string, field: string): NotificationStatus {
  const status = notificationStatuses.find((one) => one === text.toLowerCase());
  if (status === undefined) {
    throw new InvalidInput(`${field} must be one of ${notificationStatuses.join(", ")}, not ${showValue(text)}`, field);
  }
  return status;
}

function readStatuses(
  all: boolean,
  types: readonly string[] | undefined,
  initial: readonly NotificationStatus[],
): readonly NotificationStatus[] {
  return all ? notificationStatuses : (types?.map((text) => readStatus(text, "status-types")) ?? initial);
}

/** Reads what is marked, and as what. Throws UnreadableParameter. */
function readMarking(query: MarkQuery) {
  try {
    const all = query.all?.toLowerCase() ?? "false";
    if (!/^(true|1|yes|on|false|0|no|off)$/.test(all)) {
      throw new InvalidInput(`all must be true or false, not ${showValue(all)}`, "all");
    }
    return {
      marking: {
        statuses: readStatuses(/^(true|1|yes|on)$/.test(all), query["status-types"], ["unread"]),
        before: readEnd(query.last_read_at, "last_read_at"),
      },
      status: readStatus(query["to-status"] ?? "read", "to-status"),
    };
  } catch (error) {
    throw error instanceof InvalidInput ? new UnreadableParameter(error) : error;
  }
}

type AskedToMark = Viewer & { request: Request; doer: UserDoer; query: MarkQuery };

/**
 * Notifications of the signed-in user. Those about things that the user may not see any more are neither listed, nor
 * counted, nor marked.
 */
export function notificationRoutes({ forge, group }: Api) {
  const { addresses, config, database } = forge;

  async function list(asked: AskedForList & { query: ListQuery }, repositoryId?: number) {
    const { request, query } = asked;
    const page = readPage(query);
    const { rows, total } = await listNotifications(
      database.db,
      asked,
      {
        statuses: readStatuses(query.all === true, query["status-types"], ["unread", "pinned"]),
        subjects: query["subject-type"]?.filter((kind) => kind !== "commit"),
        ...readSpan(query),
        repositoryId,
      },
      page,
    );
    return paged({ request, base: addresses.base }, page, total, await presentThreads(forge, asked, rows));
  }

  /** The runtime sends no body with 205, which must have none (RFC 9110); the family's clients read one. */
  const wantsBody = (request: Request) => !followsSpecification(config.api.specification_clients, request);

  async function mark(asked: AskedToMark, repositoryId?: number) {
    const { marking, status } = readMarking(asked.query);
    const rows = await forge.change(asked.doer, (work) => markAll(work, { ...marking, repositoryId }, status));
    return wantsBody(asked.request) ? presentThreads(forge, asked, rows) : empty(205);
  }

  return group("", { tag: "notification", scopes: ["notification"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/notifications",
      {
        operationId: "notifyGetList",
        summary: "List the notifications of the signed-in user",
        description: "Those that are unread or pinned, unless something else is asked for.",
        query: listQuery,
        responses: ok(t.Array(NotificationThread), "The notifications, the latest first"),
      },
      (asked) => list(asked),
    )
    .put(
      "/notifications",
      {
        operationId: "notifyReadList",
        summary: "Mark notifications as read, unread or pinned",
        description: "Those that are unread, unless something else is asked for.",
        query: markQuery,
        responses: { ...marked, ...badRequest },
      },
      (asked) => mark(asked),
    )
    .get(
      "/notifications/new",
      {
        operationId: "notifyNewAvailable",
        summary: "Count the unread notifications of the signed-in user",
        responses: ok(NotificationCount, "The number"),
      },
      async (viewer) => ({ new: await countNotifications(database.db, viewer, { statuses: ["unread"] }) }),
    )
    .get(
      "/notifications/threads/:id",
      {
        operationId: "notifyGetThread",
        summary: "Get a notification",
        params: { id: rowId("Id of the notification") },
        responses: { ...ok(NotificationThread, "The notification"), ...notFound },
      },
      async (asked) => {
        const { id } = asked.params;
        const rows = await findNotifications(database.db, asked, [id], 1);
        const [thread] = await presentThreads(forge, asked, rows);
        if (thread === undefined) {
          throw new NotFound("notification", String(id));
        }
        return thread;
      },
    )
    .patch(
      "/notifications/threads/:id",
      {
        operationId: "notifyReadThread",
        summary: "Mark a notification as read, unread or pinned",
        params: { id: rowId("Id of the notification") },
        query: { "to-status": markQuery["to-status"] },
        responses: {
          200: { description: "The notification", schema: NotificationThread },
          205: marked[205],
          ...badRequest,
          ...notFound,
        },
      },
      async (asked) => {
        const { status } = readMarking(asked.query);
        const found = await forge.change(asked.doer, (work) => markOne(work, asked.params.id, status));
        const [thread] = await presentThreads(forge, asked, [found]);
        return wantsBody(asked.request) && thread !== undefined ? thread : empty(205);
      },
    )
    .get(
      "/repos/:owner/:repo/notifications",
      {
        operationId: "notifyGetRepoList",
        summary: "List the signed-in user's notifications of a repository",
        description: "Those that are unread or pinned, unless something else is asked for.",
        may: { on: "repository", do: "read", unit: "any" },
        signedIn: true,
        query: listQuery,
        responses: ok(t.Array(NotificationThread), "The notifications, the latest first"),
      },
      (asked) => list(asked, asked.repository.repository.id),
    )
    .put(
      "/repos/:owner/:repo/notifications",
      {
        operationId: "notifyReadRepoList",
        summary: "Mark notifications of a repository as read, unread or pinned",
        description: "Those that are unread, unless something else is asked for.",
        may: { on: "repository", do: "read", unit: "any" },
        // They are the user's, not the repository's.
        onArchived: "allowed",
        query: markQuery,
        responses: { ...marked, ...badRequest },
      },
      (asked) => mark(asked, asked.repository.repository.id),
    );
}
