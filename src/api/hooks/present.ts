import type { Static } from "elysia";
import type { Hook, HookDelivery, HookDeliveryItem } from "./schema.ts";
import type { FoundDelivery, WholeDelivery } from "../../domain/exchange/hooks/history-queries.ts";
import type { HookRow } from "../../domain/exchange/hooks/queries.ts";
import { presentInstant } from "../common/instants.ts";

/** A webhook as the family's Hook: without its secret. `authorization`: its header Authorization, as far as the viewer may know it. */
export function presentHook(row: HookRow, authorization: string): Static<typeof Hook> {
  const isOfInstance = row.repositoryId === null && row.ownerId === null;
  return {
    active: row.active,
    authorization_header: authorization,
    branch_filter: row.branchFilter,
    config: {
      ...row.options,
      content_type: row.contentType,
      url: row.url,
      ...(isOfInstance ? { is_system_webhook: String(row.system) } : {}),
    },
    content_type: row.contentType,
    created_at: presentInstant(row.createdAt),
    events: row.events,
    id: row.id,
    metadata: null,
    type: row.kind,
    updated_at: presentInstant(row.updatedAt),
    url: row.url,
  };
}

function statusOf({ state, attempts, status, failure }: FoundDelivery["delivery"]): string {
  return failure ?? (state === "delivered" ? "OK" : attempts === 0 ? "pending" : `answered ${status}`);
}

/** A delivery in a list, after GitHub's. */
export function presentDeliveryItem({ delivery, event }: FoundDelivery): Static<typeof HookDeliveryItem> {
  return {
    id: delivery.id,
    guid: delivery.uuid,
    delivered_at: presentInstant(delivery.attemptedAt),
    redelivery: delivery.redelivery,
    duration: (delivery.durationMs ?? 0) / 1000,
    status: statusOf(delivery),
    status_code: delivery.status ?? 0,
    state: delivery.state,
    attempts: delivery.attempts,
    event: event.type,
    action: event.action === "" ? null : event.action,
    repository_id: event.repositoryId,
    created_at: presentInstant(event.at),
  };
}

/** A delivery with what was sent and answered, after GitHub's. */
export function presentDelivery(found: WholeDelivery, hook: HookRow): Static<typeof HookDelivery> {
  const { delivery, payload } = found;
  return {
    ...presentDeliveryItem(found),
    url: delivery.url ?? hook.url,
    request: { headers: delivery.requestHeaders, payload: payload === null ? null : (JSON.parse(payload) as unknown) },
    response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
  };
}
