import { presentVersions } from "../../api/packages/present.ts";
import { presentOne } from "../../api/repos/present-repositories.ts";
import { presentOwner } from "../../api/users/present.ts";
import type { EventOf } from "../../domain/spine/events.ts";
import { findOwnerById } from "../../domain/identity/owners/queries.ts";
import { findAccess, findSender, stranger, type Source } from "./sources.ts";

/** A version of a package that came or went; null when its owner is gone. Its repository is told to whoever is told of the package. */
export async function packagePayload({
  forge,
  event,
  doer,
  action,
}: Source<EventOf<"package.published" | "package.deleted">>) {
  const { owner: named, package: of, version, repository: linked } = event;
  const owner = await findOwnerById(forge.database.db, named.id);
  if (owner === null) {
    return null;
  }
  const access = linked === null ? null : await findAccess(forge, linked.id);
  const shown = {
    package: { type: of.type, name: of.name, repositoryId: null },
    version: {
      id: version.id,
      version: of.version,
      creatorId: version.creatorId,
      createdAt: new Date(version.createdAt),
    },
  };
  const [[presented], repository, sender] = await Promise.all([
    presentVersions(forge, stranger, owner, [shown]),
    access === null ? null : presentOne(forge, access, stranger),
    findSender(forge, doer, owner),
  ]);
  const organization = owner.kind === "organization" ? presentOwner(forge.addresses, owner, null) : null;
  return { action, repository, package: { ...presented, repository }, organization, sender };
}
