import type { OwnerRow, RepositoryAccess, RepositoryCounts, RepositoryRow } from "../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { presentOne } from "../../api/repos/present-repositories.ts";
import { presentOwner } from "../../api/users/present.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { HookSource } from "../../db/schema/hooks.ts";
import type { NamedRepository } from "../../domain/events/names.ts";
import type { Forge } from "../../domain/forge.ts";
import { findLast } from "../../domain/hooks/payload-queries.ts";
import { readLast } from "../../domain/events/last.ts";
import { readWholeRepositories } from "../../domain/repos/queries.ts";
import { findOwnerById } from "../../domain/owners/queries.ts";

/** Nobody in particular: addresses of mail stand-ins are shown, as to strangers. */
export const stranger: Viewer = { actor: null, credential: { kind: "none" } };

/** What a repository was when it went. */
interface LastRepository {
  repository: RepositoryRow;
  owner: OwnerRow;
  counts: RepositoryCounts;
}

/** What an event is about, and what most payloads have: the repository and who did it. */
export interface About {
  readonly forge: Forge;
  readonly source: HookSource;
  /** The repository as somebody meets it who may do everything with it. */
  readonly access: RepositoryAccess;
  readonly repository: Awaited<ReturnType<typeof presentOne>>;
  readonly sender: ReturnType<typeof presentOwner>;
}

/** Reads what an event is about; null when there is nothing left of it. */
export async function readAbout(forge: Forge, source: HookSource): Promise<About | null> {
  const named = source.event["repository"] as NamedRepository;
  const access = await findAccess(forge, named.id, source.kind === "repository.deleted" ? source.event["last"] : null);
  if (access === null) {
    return null;
  }
  const [repository, sender] = await Promise.all([
    presentOne(forge, access, stranger),
    findSender(forge, source.doer, access.owner),
  ]);
  return { forge, source, access, repository, sender };
}

/** What the thing of an event was, as `keepLast` made it, where it is gone: by this event, or by a later one. */
export async function lastOf(
  { forge, source, access }: Omit<About, "repository" | "sender">,
  noun: "issue" | "comment" | "release",
  id: number,
): Promise<unknown> {
  return source.kind === `${noun}.deleted`
    ? source.event["last"]
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

/** Who did it; the owner of the repository or package where that was a key, the server, or somebody who is gone. */
export async function findSender(forge: Forge, doer: HookSource["doer"], owner: OwnerRow) {
  const id = doer["kind"] === "user" || doer["kind"] === "server" ? doer["id"] : null;
  const row = typeof id === "number" ? await findOwnerById(forge.database.db, id) : null;
  return presentOwner(forge.addresses, row ?? owner, null);
}
