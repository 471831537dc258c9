import type { NamedOwner, NamedRepository } from "./names.ts";

/** Of the owner itself where `repository` is null. */
interface Held {
  readonly holder: { readonly owner: NamedOwner; readonly repository: NamedRepository | null };
  readonly name: string;
}

/** What happens to secrets and variables of users, organizations and repositories, and to artifacts. No event carries a value. */
export type SecretEvent =
  | ({ readonly kind: "secret.set" | "secret.deleted" } & Held)
  | ({ readonly kind: "variable.created" | "variable.deleted" } & Held)
  | ({ readonly kind: "variable.edited"; readonly oldName: string } & Held)
  | {
      readonly kind: "artifact.uploaded" | "artifact.deleted";
      readonly repository: NamedRepository;
      readonly artifact: {
        readonly id: number;
        readonly name: string;
        readonly runNumber: number;
        readonly bytes: number;
      };
    };

/** Nobody but who manages the holder knows of them. */
export const outboxedOfSecrets: Readonly<Record<SecretEvent["kind"], boolean>> = {
  "secret.set": false,
  "secret.deleted": false,
  "variable.created": false,
  "variable.edited": false,
  "variable.deleted": false,
  "artifact.uploaded": false,
  "artifact.deleted": false,
};
