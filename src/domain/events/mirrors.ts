import type { NamedRepository } from "./names.ts";

/** What happens to mirrors. No event carries an address or a credential. */
export interface MirrorEvent {
  readonly kind: "push-mirror.added" | "push-mirror.deleted";
  readonly repository: NamedRepository;
  readonly mirror: { readonly id: number; readonly name: string };
}

/** Nobody but administrators of the repository knows of them. */
export const outboxedOfMirrors: Readonly<Record<MirrorEvent["kind"], boolean>> = {
  "push-mirror.added": false,
  "push-mirror.deleted": false,
};
