import type { OwnerRow, RepositoryAccess, RepositoryCounts, RepositoryRow } from "../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { presentOne } from "../../api/repos/present-repositories.ts";
import { presentOwner } from "../../api/users/present.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Event } from "../../domain/spine/events.ts";
import type { NamedRepository } from "../../domain/spine/events/names.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findLast } from "../../domain/exchange/hooks/payload-queries.ts";
import { readLast } from "../../domain/spine/events/last.ts";
import type { ToldDoer } from "../../domain/spine/outbox-event.ts";
import { readWholeRepositories } from "../../domain/repos/queries.ts";
import { findOwnerById } from "../../domain/identity/owners/queries.ts";

/** Nobody in particular: addresses of mail stand-ins are shown, as to strangers. */
export const stranger: Viewer = { actor: null, credential: { kind: "none" } };

/** A repository as it was when it was deleted. */
interface LastRepository {
  repository: RepositoryRow;
  owner: OwnerRow;
  counts: RepositoryCounts;
}

/** The data that payloads are made of. */
export interface Source<E extends Event> {
  readonly forge: Forge;
  readonly event: E;
  readonly doer: ToldDoer;
  /** The type and the `action` of the payload. */
  readonly type: string;
  readonly action: string;
}

/** A source with what most payloads have: the repository and who did it. */
export interface About<E extends Event> extends Source<E> {
  /** The repository as somebody meets it who may do everything with it. */
  readonly access: RepositoryAccess;
  readonly repository: Awaited<ReturnType<typeof presentOne>>;
  readonly sender: ReturnType<typeof presentOwner>;
}

/** Reads what an event is about; null when there is nothing left of it. */
export async function readAbout<E extends Event & { readonly repository: NamedRepository }>(
  source: Source<E>,
): Promise<About<E> | null> {
  const { forge, event, doer } = source;
  const last = event.kind === "repository.deleted" ? event.last : null;
  const access = await findAccess(forge, event.repository.id, last);
  if (access === null) {
    return null;
  }
  const [repository, sender] = await Promise.all([
    presentOne(forge, access, stranger),
    findSender(forge, doer, access.owner),
  ]);
  return { ...source, access, repository, sender };
}

/** A deleted thing of an event as `keepLast` stored it, whether this event deleted it or a later one. */
export async function lastOf(
  { forge, event, access }: Pick<About<Event>, "forge" | "event" | "access">,
  noun: "issue" | "comment" | "release",
  id: number,
): Promise<unknown> {
  return event.kind === `${noun}.deleted` && "last" in event
    ? event.last
    : findLast(forge.database.db, access.repository.id, noun, id);
}

/** A repository with all rights, as it was if it is gone; null when nothing is known of it any more. */
export async function findAccess(
  { database: { db } }: Forge,
  id: number,
  last: unknown = null,
): Promise<RepositoryAccess | null> {
  const [row] = await readWholeRepositories(db, [id]);
  const found = row ?? readLast<LastRepository>(last ?? (await findLast(db, id, "repository", id)));
  return found === null
    ? null
    : repositoryAccess(found.repository, found.owner, found.counts, sameInEveryUnit(accessModes.owner));
}

/** The user who did it. If a key, the server or a deleted user did it: the owner of the repository or package. */
export async function findSender(forge: Forge, doer: ToldDoer, owner: OwnerRow) {
  const id = doer.kind === "user" || doer.kind === "server" ? doer.id : null;
  const row = id === null ? null : await findOwnerById(forge.database.db, id);
  return presentOwner(forge.addresses, row ?? owner, null);
}
