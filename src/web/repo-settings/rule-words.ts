import type { RepositoryAccess } from "../../auth/subject.ts";
import { BranchRules, RulesTooCostly, type BranchRule } from "../../domain/git/protections/branch-rules.ts";
import type { RuleSentence } from "../../domain/git/protections/explain-rule.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IconName } from "../assets/icons.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";

const icons: Readonly<Record<RuleSentence["about"], IconName>> = {
  push: "upload",
  force: "history",
  delete: "trash-2",
  merge: "git-merge",
  review: "eye",
  check: "circle-check",
  signature: "shield-check",
  file: "file",
  override: "users",
};

/** What a rule says, one thing a line. */
export function ruleWords(visit: Visit, sentences: readonly RuleSentence[]): Html {
  return html`<ul class="facts">${sentences.map(({ about, text }) => html`<li>${icon(visit, icons[about])}<span dir="auto">${text}</span></li>`)}</ul>`;
}

/** So many refs are compared with patterns for a page. */
const mostRefs = 2000;
/** So many of them are named. */
const mostNamed = 12;

/** The names of a repository's branches or tags, as far as a page compares them. */
export async function namesOfRefs(
  forge: Forge,
  { repository }: RepositoryAccess,
  prefix: "refs/heads/" | "refs/tags/",
): Promise<{ names: string[]; total: number }> {
  const { rows, total } = await forge.git.refs.pageOfRefs(repository.id, prefix, { size: mostRefs, offset: 0 });
  return { names: rows.map(({ name }) => name.slice(prefix.length)), total };
}

/** Does what compares names with patterns; null where that takes too long. */
export function ifNotTooCostly<Result>(compare: () => Result): Result | null {
  try {
    return compare();
  } catch (error) {
    if (error instanceof RulesTooCostly) {
      return null;
    }
    throw error;
  }
}

/** The branches that a rule decides about, by the id of each rule. null: to find that out takes too long. */
export function branchesByRule(
  rules: readonly BranchRule[],
  branches: readonly string[],
): Map<number, string[]> | null {
  return ifNotTooCostly(() => {
    const all = new BranchRules(rules);
    const found = new Map<number, string[]>();
    for (const branch of branches) {
      const rule = all.find(branch);
      if (rule !== null) {
        found.set(rule.id, [...(found.get(rule.id) ?? []), branch]);
      }
    }
    return found;
  });
}

/** Names of branches or tags as links, some of them. */
export function refNames(
  visit: Visit,
  access: RepositoryAccess,
  kind: "branch" | "tag",
  names: readonly string[],
): Html {
  const links = names
    .slice(0, mostNamed)
    .map((name) => html`<a class="ref" href="${sourceLink(visit.root, access, { kind, name }, "")}">${name}</a> `);
  const more = names.length - mostNamed;
  return html`${links}${more > 0 && html`<span class="soft small">and ${wholeNumber(more)} more</span>`}`;
}

/** "3 branches", or that only some were compared. */
export function countOf(
  kind: "branch" | "tag",
  number: number,
  { names, total }: { names: readonly string[]; total: number },
): string {
  const words = kind === "branch" ? counted(number, "branch", "branches") : counted(number, "tag");
  return `${words}${names.length < total ? ` of the first ${wholeNumber(names.length)}` : ""}`;
}
