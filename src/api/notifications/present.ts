import type { Static } from "elysia";
import type { NotificationThread } from "./schema.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { NotificationSubject } from "../../db/schema/notifications.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundNotification } from "../../domain/work/notifications/queries.ts";
import { presentRepositories, type PresentedRepository } from "../repos/present-repositories.ts";
import { presentInstant } from "../common/instants.ts";

const typeOf = {
  issue: "Issue",
  pull: "Pull",
  repository: "Repository",
} as const satisfies Record<NotificationSubject, string>;

function presentSubject(addresses: Addresses, { notification, access, issue }: FoundNotification) {
  const { owner, repository } = access;
  const type = typeOf[notification.subject];
  if (issue === null) {
    return {
      html_url: addresses.repository(owner.name, repository.name),
      latest_comment_html_url: "",
      latest_comment_url: "",
      state: "" as const,
      title:
        notification.reason === "quota"
          ? `The quota of "${owner.name}" is nearly used up`
          : `${owner.name}/${repository.name}`,
      type,
      url: addresses.repositoryApi(owner.name, repository.name),
    };
  }
  const { number, title, closedAt, lastCommentId } = issue;
  const page = addresses.discussion(owner.name, repository.name, { number, isPull: notification.subject === "pull" });
  const api = (path: string) => addresses.repositoryApi(owner.name, repository.name, path);
  return {
    html_url: page,
    latest_comment_html_url: lastCommentId === null ? "" : `${page}#issuecomment-${lastCommentId}`,
    latest_comment_url: lastCommentId === null ? "" : api(`/issues/comments/${lastCommentId}`),
    state: closedAt === null ? ("open" as const) : ("closed" as const),
    title,
    type,
    url: api(`/${type === "Pull" ? "pulls" : "issues"}/${number}`),
  };
}

function presentThread(
  addresses: Addresses,
  found: FoundNotification,
  repository: PresentedRepository | null,
): Static<typeof NotificationThread> {
  const { id, status, updatedAt } = found.notification;
  return {
    id,
    pinned: status === "pinned",
    repository,
    subject: presentSubject(addresses, found),
    unread: status === "unread",
    updated_at: presentInstant(updatedAt),
    url: addresses.api(`/notifications/threads/${id}`),
  };
}

/** Notifications as the family's NotificationThread, with a constant number of queries. Each repository is made once. */
export async function presentThreads(forge: Forge, viewer: Viewer, rows: readonly FoundNotification[]) {
  const accesses = new Map(rows.map(({ access }) => [access.repository.id, access]));
  const presented = await presentRepositories(forge, [...accesses.values()], viewer);
  const byId = new Map(presented.map((repository) => [repository.id, repository]));
  return rows.map((row) => presentThread(forge.addresses, row, byId.get(row.access.repository.id) ?? null));
}
