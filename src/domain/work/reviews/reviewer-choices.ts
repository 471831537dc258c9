import type { OwnerRow, RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { findKnownTeams } from "../../identity/teams/known-queries.ts";
import { listTeams, type Team } from "../../identity/teams/queries.ts";
import { listEntitled } from "../../repos/entitled-queries.ts";

/** Who is offered to be asked for a review. Others who may read the pull requests can be asked, too. */
export interface ReviewerChoices {
  readonly users: readonly OwnerRow[];
  readonly teams: readonly Team[];
}

/** The users and the teams that were given access to the pull requests of a repository, as far as the viewer may know of them. */
export async function listReviewerChoices(
  db: Reader,
  viewer: Viewer,
  access: RepositoryAccess,
  most: number,
): Promise<ReviewerChoices> {
  const { owner, repository, mode } = access;
  const [users, listed] = await Promise.all([
    listEntitled(db, viewer, access, ["pulls"], "read"),
    owner.kind === "organization"
      ? listTeams(db, { organizationId: owner.id, repositoryId: repository.id }, { size: most, offset: 0 })
      : null,
  ]);
  const ids = listed?.rows.map(({ team }) => team.id) ?? [];
  const known = await findKnownTeams(db, viewer, ids, mode >= accessModes.admin);
  return { users: users.slice(0, most), teams: [...known.values()] };
}
