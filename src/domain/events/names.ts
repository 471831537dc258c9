import type { OwnerRow, RepositoryRow } from "../../auth/subject.ts";

/** A user or an organization, as it is called while it is told about: its row may be gone when somebody hears of it. */
export interface NamedOwner {
  readonly id: number;
  readonly name: string;
}

/** A repository likewise. */
export interface NamedRepository {
  readonly id: number;
  readonly name: string;
  readonly private: boolean;
  readonly owner: NamedOwner;
}

/** A ref that was created (`oldOid` null), moved or deleted (`newOid` null); oids are hexadecimal. */
export interface MovedRef {
  readonly name: string;
  readonly oldOid: string | null;
  readonly newOid: string | null;
}

/** An issue or a pull request likewise. */
export interface NamedIssue {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly isPull: boolean;
}

/** A release likewise. Only those who may write releases know of a draft. */
export interface NamedRelease {
  readonly id: number;
  readonly tagName: string;
  readonly title: string;
  readonly draft: boolean;
}

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
