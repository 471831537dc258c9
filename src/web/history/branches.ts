import type { RepositoryAccess } from "../../auth/subject.ts";
import { refuseRename } from "../../domain/git/branches/rename-branch.ts";
import { staleDays, type RefFilter } from "../../domain/git/refs/refs-by-date.ts";
import { refuseDeletion } from "../../domain/git/protections/decide-change.ts";
import { loadRules } from "../../domain/git/protections/rule-queries.ts";
import { refuseByServer } from "../../domain/git/refs/ref-policy.ts";
import { listBranchesOf } from "../../domain/git/refs/reflog-queries.ts";
import type { RefPage } from "../../domain/git/refs/revisions.ts";
import { findCombinedStates } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listOpenOfHead } from "../../domain/work/pulls/queries.ts";
import type { AheadBehind } from "../../git/graph/ahead-behind.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { mayChange } from "../repos/may-change.ts";
import type { Visit } from "../visit.ts";
import { branchRow, type ShownBranch } from "./branch-row.ts";
import { refSearch, viewLinks } from "./ref-tools.ts";
import { pushOf } from "../repos/banners.ts";
import { historyNav } from "./side-nav.ts";

const prefix = "refs/heads/";
/** Commits that are looked at for all distances of a page. */
const mostLooked = 50_000;
const cacheBytes = 1024 * 1024;

const ages = ["active", "stale"] as const;

export function branchListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  /** By the oids of both, which decide it for ever. */
  const distances = new ByteCache<AheadBehind>(cacheBytes);

  async function readDistances({ rows, view }: RefPage, base: string | undefined): Promise<Map<string, AheadBehind>> {
    const tips = base === undefined ? [] : [...new Set(rows.map(({ oid }) => oid))];
    const missing = tips.filter((tip) => distances.get(`${base} ${tip}`) === undefined);
    const pairs = missing.map((tip) => ({ base: base ?? tip, tip }));
    const counted =
      pairs.length === 0 ? [] : await forge.git.engine.call(view, "aheadBehind", { pairs, most: mostLooked });
    const found = new Map(missing.map((tip, index) => [tip, counted[index]]));
    return new Map(
      tips.flatMap((tip) => {
        const distance = found.get(tip) ?? distances.get(`${base} ${tip}`);
        if (distance === undefined) {
          return [];
        }
        distances.set(`${base} ${tip}`, distance, 200);
        return [[tip, distance]];
      }),
    );
  }

  async function shown(visit: Visit, access: RepositoryAccess, refs: RefPage): Promise<ShownBranch[]> {
    const { repository } = access;
    const oids = refs.rows.map(({ oid }) => oid);
    const names = refs.rows.map(({ name }) => name.slice(prefix.length));
    const main = await forge.git.revisions.find(repository);
    const [commits, states, rules, pulls, distance] = await Promise.all([
      forge.git.commits.find(refs.view, [...new Set(oids)]),
      findCombinedStates(db, repository.id, oids),
      loadRules(db, repository.id, visit.actor?.id ?? null),
      reads(visit, "pulls") && names.length > 0
        ? listOpenOfHead(db, { repositoryId: repository.id, branches: names }, [repository.id])
        : [],
      readDistances(refs, main?.commit),
    ]);
    const users = await forge.findUsersByEmail(
      [...commits.values()].map(({ author }) => author.email),
      visit,
    );
    const numbers = new Map(pulls.map(({ branch, number }) => [branch, number]));
    const isWriter = mayChange(visit, access);
    return refs.rows.map(({ oid, name: fullName }, index) => {
      const name = names[index] ?? "";
      const isDefault = name === repository.defaultBranch;
      const commit = commits.get(oid);
      const rule = rules.branches.find(name);
      const refusedByRule = rule === null ? null : refuseDeletion(rule, "user");
      const deletion = { name: fullName, oldOid: oid, newOid: null, peeled: null };
      return {
        name,
        isDefault,
        isProtected: rule !== null,
        commit,
        author: commit === undefined ? null : users.find(commit.author.email),
        state: states.get(oid),
        distance: isDefault ? undefined : distance.get(oid),
        pull: numbers.get(name),
        rights: isWriter
          ? {
              refusedDeletion:
                refuseByServer(forge.config.git, deletion, prefix + repository.defaultBranch) ?? refusedByRule,
              refusedRename: refuseRename(rule, name, access),
            }
          : null,
      };
    });
  }

  async function filterOf(visit: Visit, { repository }: RepositoryAccess): Promise<RefFilter> {
    const { query, actor } = visit;
    const view = query.get("view");
    const names =
      view === "yours" && actor !== null ? new Set(await listBranchesOf(db, repository.id, actor.id)) : null;
    return { words: (query.get("q") ?? "").trim(), names, age: ages.find((age) => age === view) ?? "any" };
  }

  return [
    page("GET", "/:owner/:repo/branches", readsCode, async ({ visit, repository: access }) => {
      const { query } = visit;
      const at = sliceOf(query);
      const filter = await filterOf(visit, access);
      const refs = await forge.git.refsByDate.page(access.repository, prefix, filter, at);
      const rows = await shown(visit, access, refs);
      const address = `${repositoryLink(visit.root, access)}/branches`;
      const isWriter = mayChange(visit, access);
      const views = [
        { key: "", name: "All" },
        ...(visit.actor === null ? [] : [{ key: "yours", name: "Yours" }]),
        { key: "active", name: "Active" },
        { key: "stale", name: "Stale" },
      ];
      const list: Html =
        refs.total > 0
          ? html`<ul class="panel rows links edge">${rows.map((row, index) => branchRow(visit, access, row, index))}</ul>`
          : filter.words === "" && (query.get("view") ?? "") === ""
            ? empty(visit, "git-branch", "No branches", "Push one to see it here.")
            : empty(visit, "git-branch", "No branch is like that", `Stale: without a commit for ${staleDays} days.`);
      return {
        title: `Branches · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code" },
        sees: "code",
        body: html`<div class="tools"><h1 class="grow">Branches</h1>${historyNav(visit, access, "branches")}</div>
            <div class="tools">${refSearch(visit, address, "branch", query)}${viewLinks(address, views, query)}
            ${isWriter && html`<a class="button" href="${address}/lost">${icon(visit, "history")}Restore</a><a class="button main" href="${address}/new">${icon(visit, "plus")}New branch</a>`}</div>
            ${await pushOf(forge, visit, access)}<div id="branches" data-live data-offer data-key="${Bun.hash(refs.rows.map(({ name, oid }) => `${name} ${oid}`).join(" ")).toString(36)}" data-said="Branches moved">${list}</div>${pager(visit, address, query, at, refs.total)}`,
      };
    }),
  ];
}
