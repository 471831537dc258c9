import type { NamedOwner, NamedRepository } from "./names.ts";

/** What happens to users, organizations, teams, and to what somebody signs in with. */
export type AccountEvent =
  | { readonly kind: "notifications.marked"; readonly userId: number; readonly ids: readonly number[] }
  | { readonly kind: "user.created" | "user.deleted"; readonly user: NamedOwner }
  /** `changed`: the names of the columns. */
  | { readonly kind: "user.edited"; readonly user: NamedOwner; readonly changed: readonly string[] }
  | { readonly kind: "user.suspended" | "user.unsuspended"; readonly user: NamedOwner }
  | { readonly kind: "password.changed"; readonly user: NamedOwner }
  | { readonly kind: "two-factor.enabled" | "two-factor.disabled"; readonly user: NamedOwner }
  | { readonly kind: "recovery-codes.renewed"; readonly user: NamedOwner }
  | {
      readonly kind: "email.added" | "email.deleted" | "email.verified";
      readonly userId: number;
      readonly emails: readonly string[];
    }
  | { readonly kind: "password-reset.requested"; readonly user: NamedOwner }
  | { readonly kind: "session.started" | "session.ended"; readonly userId: number }
  | { readonly kind: "token.created" | "token.deleted"; readonly userId: number; readonly tokenId: number }
  | { readonly kind: "ssh-key.added" | "ssh-key.deleted"; readonly user: NamedOwner; readonly keyId: number }
  | {
      readonly kind: "gpg-key.added" | "gpg-key.verified" | "gpg-key.deleted";
      readonly user: NamedOwner;
      readonly keyId: number;
    }
  | { readonly kind: "follow.added" | "follow.removed"; readonly user: NamedOwner; readonly followed: NamedOwner }
  | { readonly kind: "block.added" | "block.removed"; readonly owner: NamedOwner; readonly user: NamedOwner }
  /** A user or an organization. */
  | { readonly kind: "owner.renamed"; readonly owner: NamedOwner; readonly oldName: string }
  | { readonly kind: "avatar.changed"; readonly owner: NamedOwner }
  | { readonly kind: "organization.created" | "organization.deleted"; readonly owner: NamedOwner }
  | { readonly kind: "organization.edited"; readonly owner: NamedOwner; readonly changed: readonly string[] }
  | { readonly kind: "member.removed"; readonly owner: NamedOwner; readonly user: NamedOwner }
  | { readonly kind: "member.published" | "member.concealed"; readonly owner: NamedOwner; readonly user: NamedOwner }
  | {
      readonly kind: "team.created" | "team.edited" | "team.deleted";
      readonly owner: NamedOwner;
      readonly team: { readonly id: number; readonly name: string };
    }
  | {
      readonly kind: "team-member.added" | "team-member.removed";
      readonly owner: NamedOwner;
      readonly team: { readonly id: number; readonly name: string };
      readonly user: NamedOwner;
    }
  | {
      readonly kind: "team-repository.added" | "team-repository.removed";
      readonly repository: NamedRepository;
      readonly team: { readonly id: number; readonly name: string };
    }
  | {
      readonly kind: "application.created" | "application.edited" | "application.deleted";
      readonly user: NamedOwner;
      readonly applicationId: number;
    }
  | {
      readonly kind: "grant.given" | "grant.used" | "grant.revoked";
      readonly userId: number;
      readonly grantId: number;
    };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfAccounts: Readonly<Record<AccountEvent["kind"], boolean>> = {
  "notifications.marked": false,
  "user.created": true,
  "user.edited": true,
  "user.suspended": true,
  "user.unsuspended": true,
  "user.deleted": true,
  "password.changed": false,
  "two-factor.enabled": false,
  "two-factor.disabled": false,
  "recovery-codes.renewed": false,
  "email.added": false,
  "email.deleted": false,
  "email.verified": false,
  "password-reset.requested": false,
  "session.started": false,
  "session.ended": false,
  "token.created": false,
  "token.deleted": false,
  "ssh-key.added": false,
  "ssh-key.deleted": false,
  "gpg-key.added": false,
  "gpg-key.verified": false,
  "gpg-key.deleted": false,
  "follow.added": true,
  "follow.removed": true,
  "block.added": false,
  "block.removed": false,
  "owner.renamed": true,
  "avatar.changed": false,
  "organization.created": true,
  "organization.edited": true,
  "organization.deleted": true,
  "member.removed": true,
  "member.published": true,
  "member.concealed": true,
  "team.created": true,
  "team.edited": true,
  "team.deleted": true,
  "team-member.added": true,
  "team-member.removed": true,
  "team-repository.added": true,
  "team-repository.removed": true,
  "application.created": false,
  "application.edited": false,
  "application.deleted": false,
  "grant.given": false,
  "grant.used": false,
  "grant.revoked": false,
};
