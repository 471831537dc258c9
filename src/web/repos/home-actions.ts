import type { RepositoryAccess } from "../../auth/subject.ts";
import { requestPullSync } from "../../domain/exchange/mirrors/request-sync.ts";
import { syncFork, type SyncOutcome } from "../../domain/repos/forks/sync-fork.ts";
import { acceptTransfer, rejectTransfer } from "../../domain/repos/transfers/answer-transfer.ts";
import { findOwnerById } from "../../domain/repos/transfers/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { repositoryLink } from "../links.ts";
import { writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { homePage } from "./home.ts";

const outcomes: Readonly<Record<SyncOutcome, string>> = {
  "up-to-date": "The branch already has all commits of its parent",
  "fast-forward": "The branch has the new commits of its parent",
  merge: "The new commits of the parent were merged into the branch",
};

/** Forms in the banners of a repository's front page. */
export function homeActions(forge: Forge, page: DeclarePage): PageRoute[] {
  // The owner is no content of a repository: an archived one can be transferred.
  const answers = {
    may: { on: "repository", do: "read", unit: "any" },
    signedIn: true,
    onArchived: "allowed",
  } as const;

  /** Does it, or shows the page again with the reason why that failed. */
  const attempt = (visit: Visit, access: RepositoryAccess, change: () => Promise<Redirect>) =>
    tryForm(change, async ({ status, message }) => ({ ...(await homePage(forge, visit, access, message)), status }));

  return [
    page("POST", "/:owner/:repo/sync_fork", writesCode, ({ visit, doer, repository: access }) =>
      attempt(visit, access, async () => {
        const request = { branch: access.repository.defaultBranch, diverged: "merge", otherwise: "default" } as const;
        return new Redirect(repositoryLink(visit.root, access), outcomes[await syncFork(forge, doer, access, request)]);
      }),
    ),
    page("POST", "/:owner/:repo/mirror-sync", writesCode, ({ visit, doer, repository: access }) =>
      attempt(visit, access, async () => {
        await forge.change(doer, (work) => requestPullSync(work, access));
        return new Redirect(repositoryLink(visit.root, access), "The mirror is synchronized soon");
      }),
    ),
    page("POST", "/:owner/:repo/action/accept_transfer", answers, ({ visit, doer, repository: access }) =>
      attempt(visit, access, async () => {
        const repository = await forge.change(doer, (work) => acceptTransfer(work, access));
        const owner = (await findOwnerById(forge.database.db, repository.ownerId)) ?? access.owner;
        return new Redirect(
          repositoryLink(visit.root, { ...access, repository, owner }),
          `It belongs to ${owner.name} now`,
        );
      }),
    ),
    page("POST", "/:owner/:repo/action/reject_transfer", answers, ({ visit, doer, repository: access }) =>
      attempt(visit, access, async () => {
        await forge.change(doer, (work) => rejectTransfer(work, access));
        // The offer may have been all that showed them the repository.
        return new Redirect(`${visit.root}/`, `The offer of ${access.owner.name}/${access.repository.name} has ended`);
      }),
    ),
  ];
}
