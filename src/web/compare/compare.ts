import type { RepositoryAccess } from "../../auth/subject.ts";
import {
  findComparison,
  listCompared,
  type Compared,
  type ComparedSide,
  type MissingSide,
} from "../../domain/work/pulls/comparison.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { diffView } from "../code/diff-view.ts";
import { readDiff } from "../code/read-diff.ts";
import type { Refusal } from "../errors.ts";
import { reads } from "../frame/subject-tabs.ts";
import { commitList } from "../history/commit-list.ts";
import { html, type Html } from "../html.ts";
import { compareLink, issueLink } from "../links.ts";
import { nearNames } from "../near-names.ts";
import { offers } from "../offers.ts";
import { movesPulls, readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { empty, note } from "../parts/note.ts";
import { counted } from "../parts/size.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { findPullOf, openFromForm, pullForm, pullNote } from "./pull-form.ts";
import { sidesForm } from "./sides.ts";

/** Commits that are listed; the number counts all. */
const mostCommits = 100;
const mostConflicts = 10;

const readsPast = { ...readsCode, past: true } as const;

function sourceTitle({ owner, repository }: RepositoryAccess): string {
  return `${owner.name}/${repository.name}`;
}

/** Two branches, tags or commits beside each other, also of forks, and the way on to a pull request. */
export function comparePages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function missingPage(
    visit: Visit,
    access: RepositoryAccess,
    { missing, base, head }: MissingSide,
  ): Promise<Page> {
    const wanted = missing === "base" ? base : head;
    const { refs } = await forge.git.revisions.list(access.repository);
    const names = refs.flatMap(({ name }) => /^refs\/(?:heads|tags)\/(.*)$/s.exec(name)?.slice(1) ?? []);
    const near = nearNames(wanted, names);
    const link = (name: string) =>
      compareLink(visit.root, access, missing === "base" ? name : base, missing === "base" ? head : name);
    const form = await sidesForm(forge, visit, access, { base, head, missing }, null);
    return {
      status: 404,
      title: `Compare · ${sourceTitle(access)}`,
      place: { tab: "code" },
      body: html`<div class="title"><h1>Compare</h1></div>${form}<div class="section"><p id="missing-side" class="problem" dir="auto">There is no branch, tag or commit “${wanted}” here that you can see.</p>
${near.length > 0 && html`<p class="soft">Is it one of these?</p><ul class="stack s">${near.map((name) => html`<li><a class="ref" href="${link(name)}" rel="nofollow">${name}</a></li>`)}</ul>`}</div>`,
    };
  }

  /** Whether a merge would work. */
  async function mergeMark(compared: Compared, signal: AbortSignal): Promise<Html> {
    const [base, head] = [compared.base.revision.commit, compared.head.revision.commit];
    const { clean, conflicts } = await forge.git.engine.call(
      compared.view,
      "previewMerge",
      { base, head, maxConflicts: mostConflicts },
      signal,
    );
    return clean
      ? html`<span class="green">Merges without conflicts</span>`
      : html`<span class="amber" title="${conflicts.join(", ")}">Has conflicts in ${conflicts.length === mostConflicts ? "many files" : conflicts.join(", ")}</span>`;
  }

  async function changes(
    visit: Visit,
    access: RepositoryAccess,
    compared: Compared,
    listed: Awaited<ReturnType<typeof listCompared>>,
  ): Promise<Html> {
    const { base, head, view, before } = compared;
    if (before === null) {
      const direct = compareLink(visit.root, access, base.text, head.text).replace("...", "..");
      return empty(
        visit,
        "git-compare",
        "The two have no history in common",
        html`Their files can be compared all the same. <a href="${direct}" rel="nofollow">Compare the files</a>`,
      );
    }
    if (before === head.revision.commit) {
      return nothing(visit, access, compared);
    }
    const after = { access: head.access, commit: head.revision.commit };
    const diff = await readDiff(forge, visit, { view, before: { access: base.access, commit: before }, after });
    const rest =
      listed.total > listed.commits.length
        ? html`<p class="soft">These are the latest ${listed.commits.length}.</p>`
        : null;
    const list =
      listed.total === 0
        ? null
        : html`<details class="section commits"${listed.total <= 10 ? html` open` : null}><summary><h2>${counted(listed.total, "commit")}</h2></summary>${await commitList(forge, visit, head.access, listed.commits)}${rest}</details>`;
    return html`${list}${diffView(visit, diff)}`;
  }

  async function comparedPage(
    visit: Visit,
    access: RepositoryAccess,
    compared: Compared,
    refused: Refusal | null,
  ): Promise<Page> {
    const { base, head, isSymmetric, before } = compared;
    const { signal } = visit.request;
    const { commits, total } = await listCompared(forge, compared, mostCommits, signal);
    const areBranches = base.revision.kind === "branch" && head.revision.kind === "branch" && isSymmetric;
    const isOwnBase = base.access.repository.id === access.repository.id;
    const canOpen = areBranches && isOwnBase && total > 0 && before !== null;
    const isNumbered = areBranches && isOwnBase && reads(visit, "pulls");
    const number = isNumbered ? await findPullOf(forge, base, head) : null;
    const isOffered = canOpen && number === null && offers(visit, movesPulls);
    const mark = isOffered ? await mergeMark(compared, signal) : null;
    const address = compareLink(visit.root, access, base.text, head.text);
    const listed = { commits, total };
    const form = isOffered ? await pullForm(forge, visit, access, address, { compared, listed, refused }) : null;
    const shown = await changes(visit, access, compared, listed);
    const problem = refused !== null && form === null ? note(visit, "bad", `${refused.message}.`) : null;
    const sides = await sidesForm(forge, visit, access, { base: base.text, head: head.text, missing: null }, mark);
    return {
      status: refused?.status ?? 200,
      title: `${isOffered ? "New pull request" : `Compare ${base.text} with ${head.text}`} · ${sourceTitle(access)}`,
      place: { tab: "code", width: "wide" },
      body: html`<div class="title"><h1>${isOffered ? "New pull request" : "Compare"}</h1></div>${sides}${problem}${number !== null && pullNote(visit, access, number)}${form}${shown}`,
    };
  }

  return [
    page("GET", "/:owner/:repo/compare", readsPast, async ({ visit, repository: access }) => {
      const { query } = visit;
      const base = (query.get("base") ?? "").trim() || access.repository.defaultBranch;
      const head = (query.get("head") ?? "").trim();
      if (head !== "") {
        return new Redirect(compareLink(visit.root, access, base, head));
      }
      return {
        title: `Compare · ${sourceTitle(access)}`,
        place: { tab: "code" },
        body: html`<div class="title"><h1>Compare</h1><p class="soft">Choose what to look at, and what to compare it with.</p></div>${await sidesForm(forge, visit, access, { base, head, missing: null }, null)}`,
      };
    }),
    page("GET", "/:owner/:repo/compare/*", readsPast, async ({ visit, repository: access }) => {
      const compared = await findComparison(forge, visit, access, visit.params["*"] ?? "", visit.request.signal);
      return "missing" in compared ? missingPage(visit, access, compared) : comparedPage(visit, access, compared, null);
    }),
    page(
      "POST",
      "/:owner/:repo/compare/*",
      { ...movesPulls, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const compared = await findComparison(forge, visit, access, visit.params["*"] ?? "", visit.request.signal);
        if ("missing" in compared) {
          return missingPage(visit, access, compared);
        }
        if (visit.form.text("preview") !== "") {
          return comparedPage(visit, access, compared, null);
        }
        const head = headName(compared.head, access);
        return tryForm(
          async () => {
            const number = await openFromForm(forge, doer, visit, access, { compared, head });
            return new Redirect(issueLink(visit.root, access, { isPull: true, number }));
          },
          (refused) => comparedPage(visit, access, compared, refused),
        );
      },
    ),
  ];
}

/** A branch as the use case names it: with its repository if that is another one. */
function headName({ access, revision }: ComparedSide, base: RepositoryAccess): string {
  return access.repository.id === base.repository.id
    ? revision.name
    : `${access.owner.name}/${access.repository.name}:${revision.name}`;
}

/** What is said where the base has all of the head. */
function nothing(visit: Visit, access: RepositoryAccess, { base, head }: Compared): Html {
  const swapped = compareLink(visit.root, access, head.text, base.text);
  return empty(
    visit,
    "git-compare",
    "There is nothing to compare",
    html`<span dir="auto">${base.text}</span> has all commits of <span dir="auto">${head.text}</span>. <a href="${swapped}" rel="nofollow">Compare the other way round</a>`,
  );
}
