import type { NamedOwner, NamedRepository } from "./names.ts";

/** What happens to webhooks themselves. `repository` and `owner` both null: a webhook of the instance. */
export type HookEvent =
  | {
      readonly kind: "hook.created" | "hook.edited" | "hook.deleted";
      readonly repository: NamedRepository | null;
      readonly owner: NamedOwner | null;
      readonly hookId: number;
    }
  /** Somebody wants to see what the webhook does: it is told of the commit as if it had been pushed to `ref` just now. */
  | {
      readonly kind: "hook.tested";
      readonly repository: NamedRepository;
      readonly hookId: number;
      readonly ref: string;
      readonly oid: string;
    }
  /** Somebody wants a delivery to be sent again. */
  | { readonly kind: "hook.redelivered"; readonly hookId: number; readonly deliveryId: number };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfHooks: Readonly<Record<HookEvent["kind"], boolean>> = {
  "hook.created": false,
  "hook.edited": false,
  "hook.deleted": false,
  "hook.tested": true,
  "hook.redelivered": true,
};
