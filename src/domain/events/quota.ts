import type { NamedOwner, NamedRepository } from "./names.ts";

/** What administrators change about quotas, and what owners hear of. Rules and groups are called by their names. */
export type QuotaEvent =
  | { readonly kind: "quota-rule.created" | "quota-rule.edited" | "quota-rule.deleted"; readonly rule: string }
  | { readonly kind: "quota-group.created" | "quota-group.edited" | "quota-group.deleted"; readonly group: string }
  /** They have other groups. */
  | { readonly kind: "owner-quota.edited"; readonly owner: NamedOwner }
  /** They use nearly all that they may, since this repository grew. */
  | { readonly kind: "quota.warned"; readonly owner: NamedOwner; readonly repository: NamedRepository };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfQuotas: Readonly<Record<QuotaEvent["kind"], boolean>> = {
  "quota-rule.created": false,
  "quota-rule.edited": false,
  "quota-rule.deleted": false,
  "quota-group.created": false,
  "quota-group.edited": false,
  "quota-group.deleted": false,
  "owner-quota.edited": false,
  "quota.warned": false,
};
