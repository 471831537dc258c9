import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { findRelease, type FoundRelease, type ReleaseKey } from "./queries.ts";

/** Whether drafts are visible with this access. */
export function seesDrafts({ units }: Pick<RepositoryAccess, "units">): boolean {
  return units.releases >= accessModes.write;
}

/** Returns a release that the viewer may see. Throws NotFound. */
export async function getRelease(
  { database }: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  key: ReleaseKey,
): Promise<FoundRelease> {
  const found = await findRelease(database.db, viewer, access.repository.id, key);
  if (found === null || (found.release.draft && !seesDrafts(access))) {
    throw new NotFound("release", "id" in key ? String(key.id) : clip(key.tag, 80));
  }
  return found;
}
