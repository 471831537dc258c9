import { Type, type Static } from "typebox";
import type { OwnerRow, RepositoryRow } from "../../../auth/subject.ts";
import { choice, orNull } from "../../../lib/schema.ts";

/** References to things in events. A name is the one at the time of the event; the row may be gone when a receiver gets it. */

/** A user or an organization. */
export const NamedOwner = Type.Object({ id: Type.Integer(), name: Type.String() });
export type NamedOwner = Readonly<Static<typeof NamedOwner>>;

export const NamedRepository = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  private: Type.Boolean(),
  owner: NamedOwner,
});
export type NamedRepository = Readonly<Static<typeof NamedRepository>>;

/** A ref that was created (`oldOid` null), moved or deleted (`newOid` null); oids are hexadecimal. */
export const MovedRef = Type.Object({
  name: Type.String(),
  oldOid: orNull(Type.String()),
  newOid: orNull(Type.String()),
});
export type MovedRef = Readonly<Static<typeof MovedRef>>;

/** An issue or a pull request. */
export const NamedIssue = Type.Object({
  id: Type.Integer(),
  number: Type.Integer(),
  title: Type.String(),
  isPull: Type.Boolean(),
});
export type NamedIssue = Readonly<Static<typeof NamedIssue>>;

/** A team or a label. */
export const Named = Type.Object({ id: Type.Integer(), name: Type.String() });

/** Only those who may write releases know of a draft. */
export const NamedRelease = Type.Object({
  id: Type.Integer(),
  tagName: Type.String(),
  title: Type.String(),
  draft: Type.Boolean(),
});
export type NamedRelease = Readonly<Static<typeof NamedRelease>>;

/** A review that was submitted. */
export const NamedReview = Type.Object({
  id: Type.Integer(),
  kind: choice(["comment", "approve", "request-changes"]),
});
export type NamedReview = Readonly<Static<typeof NamedReview>>;

/** Returns how an owner is called in an event. */
export function namedOwner({ id, name }: NamedOwner): NamedOwner {
  return { id, name };
}

/** Returns how a repository is called in an event. */
export function namedRepository(access: {
  repository: Pick<RepositoryRow, "id" | "name" | "private">;
  owner: Pick<OwnerRow, "id" | "name">;
}): NamedRepository {
  const { id, name, private: isPrivate } = access.repository;
  return { id, name, private: isPrivate, owner: namedOwner(access.owner) };
}
