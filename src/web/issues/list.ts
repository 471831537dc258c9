import type { OwnerAccess, RepositoryAccess } from "../../auth/subject.ts";
import { movePin } from "../../domain/work/issues/pins.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Refusal } from "../errors.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import { organizationPlace } from "../owners/organization.ts";
import { opensIssues, ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { batchDeleteSpecs, batchSpecs } from "./batch-form.ts";
import { changeMarked, deleteMarked } from "./batch.ts";
import { filterPage } from "./list-filters.ts";
import { issueList, noAnswer, type Answer } from "./list-view.ts";
import { askedQuery, ofOrganization, ofRepository, ofVisitor, type Listed } from "./listed.ts";
import { changeSearches } from "./searches.ts";
import { ownViews, workPlace } from "./own-views.ts";

const titles = { issues: "Issues", pulls: "Pull requests" } as const;
type Kind = keyof typeof titles;
const kinds: readonly Kind[] = ["issues", "pulls"];

const reads = {
  issues: { may: { on: "repository", do: "read", unit: "issues" } },
  pulls: { may: { on: "repository", do: "read", unit: "pulls" } },
} as const;
/** A saved search is the visitor's own. */
const saves = {
  issues: { ...reads.issues, signedIn: true, onArchived: "allowed" },
  pulls: { ...reads.pulls, signedIn: true, onArchived: "allowed" },
} as const;
const seesOrganization = { may: { on: "organization", do: "see" } } as const;

/** Labels, milestones and the form of a new issue, beside the search box of a repository. */
function repositoryTools(visit: Visit, access: RepositoryAccess, kind: Kind): Html {
  const repo = repositoryLink(visit.root, access);
  // Strangers are sent to sign in.
  const mayOpen =
    kind === "issues" && (visit.actor === null ? access.repository.archivedAt === null : offers(visit, opensIssues));
  return html`<span class="line flow"><a class="button not-narrow" href="${repo}/labels">${icon(visit, "tag")}Labels</a><a class="button not-narrow" href="${repo}/milestones">${icon(visit, "milestone")}Milestones</a>${mayOpen && html`<a class="button main" data-key="c" href="${repo}/issues/new/choose">New issue</a>`}</span>`;
}

/** The lists of a repository's issues and of its pull requests, and of those of several repositories. */
export function issueListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function repositoryPage(
    visit: Visit,
    access: RepositoryAccess,
    kind: Kind,
    status = 200,
    answer: Answer = noAnswer,
  ): Promise<Page> {
    const list = ofRepository(visit, access, kind === "pulls");
    const tools = repositoryTools(visit, access, kind);
    return {
      status,
      title: `${titles[kind]} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: kind },
      sees: kind,
      body: html`<h1 class="sr">${titles[kind]}</h1>${await issueList(forge, visit, list, askedQuery(visit), tools, answer)}`,
    };
  }

  async function visitorPage(visit: Visit, kind: Kind, refused: Refusal | null = null): Promise<Page> {
    const list = ofVisitor(visit, kind === "pulls");
    const query = askedQuery(visit);
    const [beside, body] = await Promise.all([
      ownViews(forge, visit, list, query),
      issueList(forge, visit, list, query, null, { ...noAnswer, search: refused }),
    ]);
    return {
      status: refused?.status ?? 200,
      title: `Your ${titles[kind].toLowerCase()}`,
      place: workPlace(visit, kind),
      body: html`<h1 class="sr">Your ${titles[kind].toLowerCase()}</h1><div class="columns left">${beside}<div>${body}</div></div>`,
    };
  }

  async function organizationPage(
    visit: Visit,
    access: OwnerAccess,
    kind: Kind,
    refused: Refusal | null = null,
  ): Promise<Page> {
    const list = ofOrganization(visit, access.owner, kind === "pulls");
    const answer = { ...noAnswer, search: refused };
    return {
      status: refused?.status ?? 200,
      title: `${titles[kind]} · ${access.owner.name}`,
      place: organizationPlace(visit, access, kind),
      body: html`<h1 class="sr">${titles[kind]} of ${access.owner.name}</h1>${await issueList(forge, visit, list, askedQuery(visit), null, answer)}`,
    };
  }

  /** The choices of a filter, which are the same for everybody who may see the list. */
  const filters = (visit: Visit, list: Listed, place: Place) => filterPage(forge, visit, list, place);

  const ofKind = (kind: Kind): PageRoute[] => {
    const isPull = kind === "pulls";
    const repository = `/:owner/:repo/${kind}`;
    const organization = `/org/:owner/${kind}`;
    return [
      page("GET", repository, reads[kind], ({ visit, repository: access }) => repositoryPage(visit, access, kind)),
      page("GET", `${repository}/filter`, reads[kind], ({ visit, repository: access }) =>
        filters(visit, ofRepository(visit, access, isPull), { tab: kind }),
      ),
      page("POST", `${repository}/searches`, saves[kind], ({ visit, doer, actor, repository: access }) =>
        changeSearches(forge, visit, doer, actor, ofRepository(visit, access, isPull), (search) =>
          repositoryPage(visit, access, kind, search.status, { ...noAnswer, search }),
        ),
      ),
      page("POST", `${repository}/batch`, batchSpecs[kind], ({ visit, doer, repository: access }) =>
        changeMarked(forge, {
          visit,
          doer,
          access,
          list: ofRepository(visit, access, isPull),
          again: (status, answer) => repositoryPage(visit, access, kind, status, answer),
        }),
      ),
      page("POST", `${repository}/batch/delete`, batchDeleteSpecs[kind], ({ visit, doer, repository: access }) =>
        deleteMarked(forge, {
          visit,
          doer,
          access,
          list: ofRepository(visit, access, isPull),
          again: (status, answer) => repositoryPage(visit, access, kind, status, answer),
        }),
      ),
      page("POST", `${repository}/pins`, batchDeleteSpecs[kind], ({ visit, doer, repository: access }) =>
        tryForm(
          async () => {
            const [number, position] = ["number", "position"].map((name) => readRowId(visit.form.text(name)));
            if (number == null || position == null || number >= 1e9) {
              throw new InvalidInput("Choose where to move it", "position");
            }
            await forge.change(doer, (work) => movePin(work, access, number, position));
            return new Redirect(ofRepository(visit, access, isPull).base);
          },
          (refused) =>
            repositoryPage(visit, access, kind, refused.status, { ...noAnswer, problem: `${refused.message}.` }),
        ),
      ),
      page("GET", `/${kind}`, ownAccount, ({ visit }) => visitorPage(visit, kind)),
      page("GET", `/${kind}/filter`, ownAccount, ({ visit }) =>
        filters(visit, ofVisitor(visit, isPull), workPlace(visit, kind)),
      ),
      page("POST", `/${kind}/searches`, ownAccount, ({ visit, doer, actor }) =>
        changeSearches(forge, visit, doer, actor, ofVisitor(visit, isPull), (refused) =>
          visitorPage(visit, kind, refused),
        ),
      ),
      page("GET", organization, seesOrganization, ({ visit, owner: access }) => organizationPage(visit, access, kind)),
      page("GET", `${organization}/filter`, seesOrganization, ({ visit, owner: access }) =>
        filters(visit, ofOrganization(visit, access.owner, isPull), organizationPlace(visit, access, kind)),
      ),
      page(
        "POST",
        `${organization}/searches`,
        { ...seesOrganization, signedIn: true },
        ({ visit, doer, actor, owner: access }) =>
          changeSearches(forge, visit, doer, actor, ofOrganization(visit, access.owner, isPull), (refused) =>
            organizationPage(visit, access, kind, refused),
          ),
      ),
    ];
  };
  return kinds.flatMap(ofKind);
}
