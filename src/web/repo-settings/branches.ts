import type { RepositoryAccess } from "../../auth/subject.ts";
import { deleteBranchProtection, orderBranchProtections } from "../../domain/git/protections/edit-branch-protection.ts";
import { explainRule } from "../../domain/git/protections/explain-rule.ts";
import { listBranchProtections, type BranchProtection } from "../../domain/git/protections/queries.ts";
import { loadRules } from "../../domain/git/protections/rule-queries.ts";
import { triedChanges, tryChange, type Trial, type TriedChange } from "../../domain/git/protections/try-change.ts";
import { findVisibleUser } from "../../domain/identity/social/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { isPlainName } from "../../lib/name-pattern.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { branchesByRule, countOf, namesOfRefs, refNames, ruleWords } from "./rule-words.ts";
import { administers, settingsLink, settingsPage } from "./settings-page.ts";

const all = { size: 100, offset: 0 };

const changeWords: Readonly<Record<TriedChange, string>> = {
  push: "Push to it",
  "force-push": "Force push to it",
  delete: "Delete it",
  merge: "Merge a pull request into it",
};

/** Who is asked about, what they would do, and to which branch. */
interface Question {
  readonly who: string;
  readonly what: string;
  readonly branch: string;
}

const link = (visit: Visit, access: RepositoryAccess, below = "") =>
  settingsLink(visit.root, access, `branches${below}`);

/** The address of the editor of a rule. */
export function ruleLink(visit: Visit, access: RepositoryAccess, ruleName: string): string {
  return `${link(visit, access, "/edit")}?${new URLSearchParams({ rule_name: ruleName }).toString()}`;
}

function answerOf(visit: Visit, { who, what, branch }: Question, answer: Trial | string): Html | null {
  if (typeof answer === "string") {
    return note(visit, "bad", answer);
  }
  const { rule, refusal, depends } = answer;
  const ruleNamed =
    rule === null
      ? refusal === null
        ? "No rule is for it."
        : null
      : html`The rule <code class="ref">${rule}</code> decides.`;
  const words = (changeWords[what as TriedChange] ?? "").toLowerCase().replace(/\bit\b/, branch);
  return refusal === null
    ? note(
        visit,
        depends ? "info" : "good",
        html`<b>${depends ? "Yes, if" : "Yes."}</b> ${depends && (what === "merge" ? "the reviews and checks that the rule asks for are there." : "the commits and files are as the rule asks.")} ${who} may ${words}. ${ruleNamed}`,
      )
    : note(visit, "warn", html`<b>No.</b> ${who} may not ${words}: ${refusal}. ${ruleNamed}`);
}

function trialForm(visit: Visit, access: RepositoryAccess, question: Question, answer: Html | null): Html {
  const options = triedChanges.map(
    (one) => html`<option value="${one}"${one === question.what && html` selected`}>${changeWords[one]}</option>`,
  );
  return html`<section class="section" id="try"><h2>Would it be allowed?</h2><p class="soft">Try it before somebody is surprised. Nothing is changed.</p>
    <form class="panel edge trial" method="get" action="${link(visit, access)}#try"><div class="body stack"><div class="line flow">
    <div class="field"><label for="who">Who</label><input type="text" id="who" name="who" value="${question.who}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required></div>
    <div class="field"><label for="what">What</label><select id="what" name="what">${options}</select></div>
    <div class="field"><label for="branch">Branch</label><input type="text" class="mono" id="branch" name="branch" value="${question.branch}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required></div>
    <button class="button">Try</button></div>${answer}</div></form></section>`;
}

function ruleRow(
  visit: Visit,
  access: RepositoryAccess,
  { row, lists }: BranchProtection,
  { fitting, order, isFirst, isLast }: { fitting: Html; order: string; isFirst: boolean; isLast: boolean },
): Html {
  const step = (to: "up" | "down", isOff: boolean) =>
    !isOff &&
    html`<button class="button s bare icon" name="to" value="${to}" aria-label="Try ${row.ruleName} ${to === "up" ? "earlier" : "later"}">${icon(visit, to === "up" ? "chevron-up" : "chevron-down")}</button>`;
  const moves = isPlainName(row.ruleName)
    ? null
    : html`<form class="line" method="post" action="${link(visit, access, "/order")}">${visit.formField()}<input type="hidden" name="id" value="${row.id}"><input type="hidden" name="seen" value="${order}">${step("up", isFirst)}${step("down", isLast)}</form>`;
  return html`<li class="rule"><div class="grow stack s"><div class="line flow"><code class="ref">${row.ruleName}</code>${fitting}</div>${ruleWords(visit, explainRule({ columns: row, lists }))}</div><div class="line">${moves}<a class="button s" href="${ruleLink(visit, access, row.ruleName)}" aria-label="Edit ${row.ruleName}">Edit</a></div></li>`;
}

/** The rules for branches: what they say, which branches they are for, in which order they are tried. */
export function branchRulePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/branches";

  async function ask(visit: Visit, access: RepositoryAccess, question: Question): Promise<Html | null> {
    const change = triedChanges.find((one) => one === question.what);
    if (question.who === "" || question.branch === "" || change === undefined) {
      return null;
    }
    const user = await findVisibleUser(db, visit, question.who.trim());
    return answerOf(
      visit,
      question,
      user === null
        ? `There is no user "${question.who}".`
        : await tryChange(forge, access, user, change, question.branch.trim()),
    );
  }

  async function branchesPage(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const { repository } = access;
    const question = {
      who: visit.query.get("who") ?? "",
      what: visit.query.get("what") ?? "push",
      branch: visit.query.get("branch") ?? "",
    };
    const [{ rows }, rules, branches, answer] = await Promise.all([
      listBranchProtections(db, repository.id, all),
      loadRules(db, repository.id, null),
      namesOfRefs(forge, access, "refs/heads/"),
      ask(visit, access, question),
    ]);
    const fitting = branchesByRule(rules.branches.rules, branches.names);
    const order = rules.branches.rules.map(({ id }) => id).join(",");
    const patterns = rows.filter(({ row }) => !isPlainName(row.ruleName));
    const items = rows.map((rule) => {
      const names = fitting?.get(rule.row.id) ?? [];
      const shown =
        fitting === null
          ? html`<span class="soft small">There are too many branches to compare.</span>`
          : html`<span class="soft small">${names.length === 0 ? "no branch yet" : countOf("branch", names.length, branches)}</span> ${refNames(visit, access, "branch", names)}`;
      const at = patterns.indexOf(rule);
      return ruleRow(visit, access, rule, {
        fitting: shown,
        order,
        isFirst: at <= 0,
        isLast: at === patterns.length - 1,
      });
    });
    const defaultFacts = html`<p>The default branch is <code class="ref">${repository.defaultBranch}</code>: nobody can delete it. <a href="${settingsLink(visit.root, access)}">Choose another one</a> or <a href="${repositoryLink(visit.root, access)}/branches/rename?${new URLSearchParams({ name: repository.defaultBranch }).toString()}">rename it</a>.</p>`;
    const list =
      rows.length === 0
        ? empty(
            visit,
            "shield-check",
            "No rules",
            "Everybody who may write to the code can push to every branch, force it and delete it.",
          )
        : html`<ul class="panel edge rows">${items}</ul><p class="soft small">One rule decides about a branch: that of its exact name, otherwise the first pattern that fits. For a branch without a rule: ${explainRule(null)[0]?.text.toLowerCase()}.</p>`;
    return settingsPage(visit, access, "branches", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Branches",
      about: "Rules say who may change which branch. They hold for everybody, administrators too.",
      tools: html`<a class="button" href="${link(visit, access, "/edit")}">${icon(visit, "plus")}Add a rule</a>`,
      body: html`${note(visit, "bad", problemAbove(refused, []))}${defaultFacts}${list}${trialForm(visit, access, question, answer)}`,
    });
  }

  return [
    page("GET", path, { ...administers, onArchived: "allowed" }, ({ visit, repository }) =>
      branchesPage(visit, repository, null),
    ),
    page("POST", `${path}/order`, administers, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const seen = visit.form
            .text("seen")
            .split(",")
            .map((text) => readRowId(text) ?? 0);
          const { rows } = await listBranchProtections(db, access.repository.id, all);
          const isPattern = new Set(rows.flatMap(({ row }) => (isPlainName(row.ruleName) ? [] : [row.id])));
          const patterns = seen.filter((one) => isPattern.has(one));
          const at = patterns.indexOf(readRowId(visit.form.text("id")) ?? 0);
          const to = at + (visit.form.text("to") === "up" ? -1 : 1);
          const [moved, other] = [patterns[at], patterns[to]];
          if (moved === undefined || other === undefined) {
            throw new InvalidInput("There is no such place in the order");
          }
          const ids = seen.map((one) => (one === moved ? other : one === other ? moved : one));
          await forge.change(doer, (work) => orderBranchProtections(work, access, ids, seen));
          return new Redirect(link(visit, access), "The order is saved");
        },
        (refused) => branchesPage(visit, access, { ...refused, field: null }),
      ),
    ),
    page("POST", `${path}/delete`, administers, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const name = visit.form.text("rule");
          await forge.change(doer, (work) => deleteBranchProtection(work, access, name));
          return new Redirect(link(visit, access), `The rule ${name} is deleted`);
        },
        (refused) => branchesPage(visit, access, refused),
      ),
    ),
  ];
}
