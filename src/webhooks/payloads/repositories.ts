import { presentOneRelease } from "../../api/releases/present-releases.ts";
import { presentOne } from "../../api/repos/present-repositories.ts";
import { presentOwner } from "../../api/users/present.ts";
import { seesEverybody } from "../../auth/viewer-of.ts";
import type { Event, EventOf } from "../../domain/spine/events.ts";
import { readLast } from "../../domain/spine/events/last.ts";
import { findStatusRow } from "../../domain/exchange/hooks/payload-queries.ts";
import { findOwnerById } from "../../domain/identity/owners/queries.ts";
import { findRelease, type FoundRelease, type ReleaseRow } from "../../domain/repos/releases/queries.ts";
import { presentInstant } from "../../api/common/instants.ts";
import type { ReadCommit } from "./refs.ts";
import { findAccess, lastOf, stranger, type About } from "./sources.ts";

export function repositoryPayload({ forge, access, action, repository, sender }: About<Event>) {
  return { action, repository, organization: presentOwner(forge.addresses, access.owner, null), sender };
}

/** As the family has it: `repository` is the fork, `forkee` what it was made of. */
export async function forkPayload({ forge, event, repository, sender }: About<EventOf<"repository.forked">>) {
  const fork = await findAccess(forge, event.fork.id);
  return fork === null ? null : { forkee: repository, repository: await presentOne(forge, fork, stranger), sender };
}

export function wikiPayload({
  event,
  action,
  repository,
  sender,
}: About<EventOf<"wiki.page-created" | "wiki.page-edited" | "wiki.page-deleted">>) {
  return { action, repository, sender, page: event.page, comment: event.comment };
}

export async function releasePayload(
  about: About<EventOf<"release.published" | "release.updated" | "release.deleted">>,
) {
  const { forge, access, event, action, repository, sender } = about;
  const { id } = event.release;
  const { db } = forge.database;
  const found = (await findRelease(db, seesEverybody, access.repository.id, { id })) ?? (await lastRelease());
  return found === null
    ? null
    : { action, release: await presentOneRelease(forge, stranger, access, found), repository, sender };

  async function lastRelease(): Promise<FoundRelease | null> {
    const release = readLast<ReleaseRow>(await lastOf(about, "release", id));
    return release === null
      ? null
      : { release, author: release.authorId === null ? null : await findOwnerById(db, release.authorId) };
  }
}

/** A state of a commit, as Gitea and Forgejo tell it. */
export async function statusPayload(
  { forge, access, event, repository, sender }: About<EventOf<"status.created">>,
  readCommit: ReadCommit,
) {
  const { statusId, oid } = event;
  const row = await findStatusRow(forge.database.db, statusId);
  if (row === null) {
    return null;
  }
  const at = presentInstant(row.createdAt);
  return {
    commit: await readCommit(access, oid),
    context: row.context,
    created_at: at,
    description: row.description,
    id: row.id,
    repository,
    sender,
    sha: oid,
    state: row.state,
    target_url: row.targetUrl,
    updated_at: at,
  };
}
