import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { UserDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import type { IssueRow } from "../issues/queries.ts";
import { createPull, type NewPull } from "../pulls/create-pull.ts";
import { editPull } from "../pulls/edit-pull.ts";
import { requestReviews, type ReviewerNames } from "./request-reviews.ts";

export interface OpenedPull extends Omit<NewPull, "also"> {
  readonly reviewers: ReviewerNames;
  /** Whether maintainers may push to its branch; undefined: as the repository says, where the doer may say so. */
  readonly allowMaintainerEdit: boolean | undefined;
}

/** Opens a pull request with all that its author says of it, or not at all. Throws what createPull, requestReviews and editPull throw. */
export function openPull(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  { reviewers, allowMaintainerEdit, ...asked }: OpenedPull,
): Promise<IssueRow> {
  return createPull(forge, doer, access, {
    ...asked,
    also: async (work, { number }) => {
      if (allowMaintainerEdit !== undefined) {
        await editPull(work, access, number, { allowMaintainerEdit });
      }
      if (reviewers.users.length + reviewers.teams.length > 0) {
        await requestReviews(work, access, number, reviewers);
      }
    },
  });
}
