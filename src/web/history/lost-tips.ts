import type { RepositoryAccess } from "../../auth/subject.ts";
import { getLostTip, listLostTips, restoreBranch, type LostTip } from "../../domain/git/branches/lost-tips.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import { writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { formPage, nameField } from "./name-form.ts";
import { historyNav } from "./side-nav.ts";
import { committed } from "../parts/person.ts";
import { readRowId } from "../read-row-id.ts";

const prefix = "refs/heads/";
/** Commits that the page of a tip shows. */
const shownCommits = 50;

function row(visit: Visit, address: string, { tip, commit, commits }: LostTip): Html {
  const { id, name, newOid, actor, at } = tip;
  const shown = name.slice(prefix.length);
  const did = newOid === null ? "deleted" : `moved off ${counted(commits, "commit")}`;
  return html`<li><div class="grow stack s"><div class="line flow"><span class="ref">${shown}</span><span class="soft small">${did} ${actor !== null && html`by <b>${actor}</b> `}${ago(visit, at)}</span></div>
    <div class="line small soft"><span class="oid">${commit.oid.slice(0, 10)}</span><span class="cut" dir="auto">${commitTitle(commit.message)}</span></div></div>
    <a class="button s" href="${address}/${id}" aria-label="Look at ${shown} as it was, and restore it">${icon(visit, "history")}Restore</a></li>`;
}

const lost = (visit: Visit, access: RepositoryAccess) => `${repositoryLink(visit.root, access)}/branches/lost`;

function idOf(visit: Visit): number {
  const text = visit.params["entry"] ?? "";
  const id = readRowId(text);
  if (id === null) {
    throw new NotFound("former tip of a branch", text);
  }
  return id;
}

/** Branches as they were before they were deleted or moved by force: list, look, restore. */
export function lostTipPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function tipPage(
    visit: Visit,
    access: RepositoryAccess,
    typed: string | null,
    refused: Refusal | null,
  ): Promise<Page> {
    const id = idOf(visit);
    const { tip, view } = await getLostTip(forge, access, id);
    const main = await forge.git.revisions.find(access.repository);
    const { commits, total } = await forge.git.commits.log(
      view,
      {
        tips: [tip.oldOid],
        not: main === null ? [] : [main.commit],
        paths: [],
        skip: 0,
        limit: shownCommits,
        count: true,
        files: false,
        stats: false,
      },
      visit.request.signal,
    );
    const users = await forge.findUsersByEmail(
      commits.map(({ author }) => author.email),
      visit,
    );
    const name = tip.name.slice(prefix.length);
    // Their own pages are of commits that a branch reaches.
    const rows = commits.map(
      ({ oid, message, author, committer }) =>
        html`<li><div class="grow"><div class="titled" dir="auto">${commitTitle(message)}</div><div class="line flow small soft">${committed(visit, users.find(author.email), author.name)}<span>${ago(visit, new Date(committer.seconds * 1000))}</span></div></div><span class="oid">${oid.slice(0, 10)}</span>${copyButton(visit, oid, { label: `Copy the id of ${oid.slice(0, 10)}`, isSmall: true })}</li>`,
    );
    const rest = (total ?? 0) - commits.length;
    const form = formPage(visit, {
      title: `${name} as it was`,
      of: `${access.owner.name}/${access.repository.name}`,
      above: html`<p class="soft">It was at <code>${tip.oldOid}</code> until ${ago(visit, tip.at)}.</p>`,
      action: `${lost(visit, access)}/${id}`,
      fields: nameField("Restore it as", typed ?? name, refused),
      button: "Restore the branch",
      refused,
    });
    return {
      ...form,
      body: html`${form.body}<section class="section"><h2>${rows.length === 0 ? "The default branch has all of its commits" : "Commits that the default branch does not have"}</h2>
        ${rows.length > 0 && html`<ul class="panel rows edge">${rows}</ul>`}${rest > 0 && html`<p class="soft">and ${wholeNumber(rest)} more</p>`}</section>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/branches/lost", writesCode, async ({ visit, repository: access }) => {
      const at = sliceOf(visit.query);
      const tips = access.repository.empty ? [] : await listLostTips(forge, access, visit.request.signal);
      const address = lost(visit, access);
      const days = forge.config.git.unreachable_days;
      return {
        title: `Restore branches · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code" },
        body: html`<div class="tools"><h1 class="grow">Restore branches</h1>${historyNav(visit, access, "branches")}</div>
          <p class="soft">What a deleted branch, or one that was moved by force, had before is kept for ${days} days. Only those who may write to this repository see it.</p>
          ${tips.length === 0 ? empty(visit, "history", "Nothing to restore", `No branch was deleted or moved by force within ${days} days.`) : html`<ul class="panel rows links edge">${tips.slice(at.offset, at.offset + at.size).map((tip) => row(visit, address, tip))}</ul>`}
          ${pager(visit, address, visit.query, at, tips.length)}`,
      };
    }),
    page("GET", "/:owner/:repo/branches/lost/:entry", writesCode, ({ visit, repository: access }) =>
      tipPage(visit, access, null, null),
    ),
    page("POST", "/:owner/:repo/branches/lost/:entry", writesCode, ({ visit, doer, repository: access }) => {
      const name = visit.form.text("name").trim();
      return tryForm(
        async () => {
          await restoreBranch(forge, doer, access, { id: idOf(visit), name });
          return new Redirect(
            sourceLink(visit.root, access, { kind: "branch", name }, ""),
            `The branch ${name} is there again`,
          );
        },
        (refused) => tipPage(visit, access, name, refused),
      );
    }),
  ];
}
