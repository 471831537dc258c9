import type { RepositoryAccess } from "../../auth/subject.ts";
import { findPullMirror } from "../../domain/exchange/mirrors/queries.ts";
import { findRunningMigration } from "../../domain/exchange/migrations/queries.ts";
import { findUpstream } from "../../domain/repos/forks/find-upstream.ts";
import { findOffer } from "../../domain/repos/transfers/answer-transfer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findRecentPush } from "../../domain/work/activities/queries.ts";
import { listOpenOfHead } from "../../domain/work/pulls/queries.ts";
import { html, type Html } from "../html.ts";
import { compareLink, repositoryLink } from "../links.ts";
import { reads } from "../frame/subject-tabs.ts";
import { offers } from "../offers.ts";
import { movesPulls, writesCode } from "../pages.ts";
import { note } from "../parts/note.ts";
import { counted } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { migrationProgress } from "../settings/migrations.ts";
import type { Visit } from "../visit.ts";

const branchPrefix = "refs/heads/";
/** So long after a push its branch is offered for a pull request, milliseconds. */
const pushHintMs = 60 * 60_000;

/** A button in a banner that sends one form. */
function action(visit: Visit, address: string, words: string, fields: Html | null = null): Html {
  return html`<form class="inline" method="post" action="${address}">${visit.formField()}${fields}<button class="button s">${words}</button></form>`;
}

/** Who is offered the repository may take it; who offered it may take that back. */
async function transferOf({ database: { db } }: Forge, visit: Visit, access: RepositoryAccess): Promise<Html | null> {
  const { actor } = visit;
  if (actor === null || access.counts.transfers === 0) {
    return null;
  }
  const offer = await findOffer(db, access, actor);
  if (offer === null || !offer.mayEnd) {
    return null;
  }
  const { transfer, mayAccept } = offer;
  const base = `${repositoryLink(visit.root, access)}/action`;
  const accept = mayAccept && action(visit, `${base}/accept_transfer`, "Accept");
  const end = action(visit, `${base}/reject_transfer`, mayAccept ? "Reject" : "Withdraw the offer");
  return note(
    visit,
    "info",
    html`${transfer.doer.name} offers this repository to <b>${transfer.recipient.name}</b>. ${accept} ${end}`,
  );
}

/** Where a mirror follows, and how that goes. */
async function mirrorOf({ database: { db } }: Forge, visit: Visit, access: RepositoryAccess): Promise<Html | null> {
  const mirror = access.repository.mirror ? await findPullMirror(db, access.repository.id) : null;
  if (mirror === null) {
    return null;
  }
  const failed = mirror.lastError !== "";
  // It may tell of the network that the server is in.
  const told = offers(visit, { ...writesCode, onArchived: "allowed" }) && html`: ${mirror.lastError}`;
  const when =
    mirror.syncedAt === null ? "It was not synchronized yet" : html`Synchronized ${ago(visit, mirror.syncedAt)}`;
  const sync = offers(visit, writesCode)
    ? action(visit, `${repositoryLink(visit.root, access)}/mirror-sync`, "Synchronize now")
    : null;
  return note(
    visit,
    failed ? "warn" : "info",
    html`This is a mirror of <a rel="nofollow" href="${mirror.address}">${mirror.address}</a>: push there. ${when}${failed && html`; the last try failed${told}`}. ${sync}`,
  );
}

/** How a fork stands to its parent. A parent that the visitor may not see is not named. */
async function forkOf(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<Html | null> {
  const { repository } = access;
  if (repository.forkOf === null || repository.empty || !reads(visit, "code")) {
    return null;
  }
  const upstream = await findUpstream(forge, visit, access, repository.defaultBranch, true).catch((error: unknown) => {
    if (error instanceof NotFound) {
      return null;
    }
    throw error;
  });
  if (upstream === null) {
    return null;
  }
  const { parent, ahead, behind, branch, theirs } = upstream;
  const name = `${parent.owner.name}/${parent.repository.name}`;
  const stands =
    theirs === null
      ? null
      : ahead === 0 && behind === 0
        ? html`, and has the same commits in <span class="ref">${repository.defaultBranch}</span>`
        : html`: <span class="ref">${repository.defaultBranch}</span> is ${ahead > 0 && `${counted(ahead, "commit")} ahead`}${ahead > 0 && behind > 0 && " and "}${behind > 0 && `${counted(behind, "commit")} behind`} of its <span class="ref">${branch}</span>`;
  const sync =
    behind > 0 && offers(visit, writesCode)
      ? action(
          visit,
          `${repositoryLink(visit.root, access)}/sync_fork`,
          ahead === 0 ? "Update the branch" : "Merge what is new",
        )
      : null;
  const compare =
    ahead > 0 &&
    html`<a class="button s" rel="nofollow" href="${compareLink(visit.root, parent, branch, `${access.owner.name}/${repository.name}:${repository.defaultBranch}`)}">Compare</a>`;
  return note(
    visit,
    "info",
    html`Forked from <a href="${repositoryLink(visit.root, parent)}">${name}</a>${stands}. ${sync} ${compare}`,
  );
}

/** Tells those who have the repository brought from elsewhere how far that is. */
async function migrationOf({ database }: Forge, visit: Visit, access: RepositoryAccess): Promise<Html | null> {
  const { actor } = visit;
  const row = actor === null ? null : await findRunningMigration(database.db, access.repository.id, actor.id);
  return row === null
    ? null
    : note(
        visit,
        "info",
        html`It is being brought from ${row.address}: ${migrationProgress(row)} <a href="${visit.root}/user/settings/migrations">Migrations</a>`,
      );
}

/** Offers a branch that the visitor has just pushed for a pull request, if it is in none. */
export async function pushOf(
  { database: { db }, git }: Forge,
  visit: Visit,
  access: RepositoryAccess,
): Promise<Html | null> {
  const { actor } = visit;
  const { repository } = access;
  if (actor === null || !offers(visit, movesPulls)) {
    return null;
  }
  const since = new Date(visit.now - pushHintMs);
  const push = await findRecentPush(db, { actorId: actor.id, repositoryId: repository.id, since });
  const branch = push?.refName.startsWith(branchPrefix) === true ? push.refName.slice(branchPrefix.length) : null;
  if (push === null || branch === null || branch === repository.defaultBranch) {
    return null;
  }
  const [open, tip] = await Promise.all([
    listOpenOfHead(db, { repositoryId: repository.id, branches: [branch] }, [repository.id]),
    git.refs.findRef(repository.id, push.refName),
  ]);
  return open.length > 0 || tip === null
    ? null
    : note(
        visit,
        "info",
        html`You pushed to <span class="ref">${branch}</span> ${ago(visit, push.at)}. <a class="button s" rel="nofollow" href="${compareLink(visit.root, access, repository.defaultBranch, branch)}">Compare and open a pull request</a>`,
      );
}

/** What stands above a repository that people ought to know, with what they can do about it. */
export async function banners(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<Html> {
  const { repository } = access;
  const archived =
    repository.archivedAt !== null &&
    note(
      visit,
      "warn",
      html`This repository was archived ${ago(visit, repository.archivedAt)}: it can be read and cloned, and nothing can be changed.`,
    );
  const use =
    visit.actor !== null &&
    html`<a class="button s" href="${repositoryLink(visit.root, access)}/generate">Use this template</a>`;
  const template =
    repository.template &&
    note(visit, "info", html`This is a template: new repositories can begin with its files. ${use}`);
  const found = await Promise.all(
    [transferOf, mirrorOf, forkOf, migrationOf, pushOf].map((banner) => banner(forge, visit, access)),
  );
  return html`${archived}${template}${found}`;
}
