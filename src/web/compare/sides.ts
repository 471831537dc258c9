import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { compareLink, repositoryLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** Names that are offered while one types. */
const offered = { size: 200, offset: 0 };

interface Sides {
  readonly base: string;
  readonly head: string;
  /** What is wrong with one of them. */
  readonly missing: "base" | "head" | null;
}

/** The form that chooses what is compared: branches, tags, commits, and those of forks. It leads to the address of the comparison. */
export async function sidesForm(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  { base, head, missing }: Sides,
  aside: Html | null,
): Promise<Html> {
  const { revisions } = forge.git;
  const [branches, tags] = await Promise.all([
    revisions.page(access.repository, "refs/heads/", offered),
    revisions.page(access.repository, "refs/tags/", offered),
  ]);
  const names = [...branches.rows, ...tags.rows].map(({ name }) => name.replace(/^refs\/(?:heads|tags)\//, ""));
  const input = (name: "base" | "head", value: string) =>
    html`<input class="auto mono" name="${name}" value="${value}" list="refs" maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false" aria-label="${name === "base" ? "Base" : "Head"}"${missing === name && html` aria-invalid="true" aria-describedby="missing-side"`}>`;
  const swap = html`<a class="button icon" href="${compareLink(visit.root, access, head, base)}" rel="nofollow" aria-label="Swap the two sides" title="Swap the two sides">${icon(visit, "arrow-left-right")}</a>`;
  return html`<form class="panel sides" action="${repositoryLink(visit.root, access)}/compare" role="search" aria-label="Comparison"><span>base</span>${input("base", base)}<span aria-hidden="true">←</span><span>head</span>${input("head", head)}<button class="button">Compare</button>${head !== "" && swap}<span class="grow"></span>${aside}<datalist id="refs">${names.map((name) => html`<option value="${name}">`)}</datalist><p class="hint">Branches, tags or commits; <code>user:branch</code> is that of a fork.</p></form>`;
}
