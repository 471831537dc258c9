import type { Static } from "elysia";
import type { Organization } from "./schema.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";

/** An organization as the family's Organization. Its e-mail address is shown to signed-in callers only. */
export function presentOrganization(
  addresses: Addresses,
  row: OwnerRow,
  viewer: Actor | null,
): Static<typeof Organization> {
  return {
    id: row.id,
    name: row.name,
    username: row.name,
    full_name: row.fullName,
    email: viewer === null ? "" : row.email,
    avatar_url: addresses.avatar(row),
    description: row.description,
    website: row.website,
    location: row.location,
    visibility: row.visibility,
    repo_admin_change_team_access: row.repoAdminChangeTeamAccess,
  };
}
