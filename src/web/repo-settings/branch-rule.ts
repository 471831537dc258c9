import type { RepositoryAccess } from "../../auth/subject.ts";
import { BranchRules } from "../../domain/git/protections/branch-rules.ts";
import { createBranchProtection, editBranchProtection } from "../../domain/git/protections/edit-branch-protection.ts";
import { explainRule, type ExplainedRule } from "../../domain/git/protections/explain-rule.ts";
import { findBranchProtection, type BranchProtection } from "../../domain/git/protections/queries.ts";
import { loadRules } from "../../domain/git/protections/rule-queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import type { Values } from "./column-form.ts";
import { explained, readRule, ruleFieldNames, ruleFields, valuesOfRule } from "./rule-fields.ts";
import { countOf, ifNotTooCostly, namesOfRefs, refNames, ruleWords } from "./rule-words.ts";
import { administers, settingsLink, settingsPage } from "./settings-page.ts";

/** What the editor is shown with. */
interface Shown {
  readonly rule: BranchProtection | null;
  readonly values: Values;
  readonly refused: Refusal | null;
  /** Null: it cannot be read as it was typed. */
  readonly words: ExplainedRule | null;
}

const shownOf = (rule: BranchProtection | null, values: Values): Shown => ({
  rule,
  values,
  refused: null,
  words: rule === null ? { columns: { enablePush: true }, lists: {} } : { columns: rule.row, lists: rule.lists },
});

/** The editor of a rule for branches, which shows what the rule would do before it is saved. */
export function branchRuleEditor(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/branches/edit";

  async function getRule(access: RepositoryAccess, name: string): Promise<BranchProtection | null> {
    const rule = name === "" ? null : await findBranchProtection(db, access.repository.id, name);
    if (name !== "" && rule === null) {
      throw new NotFound("branch protection", name.slice(0, 80));
    }
    return rule;
  }

  /** The branches that a pattern fits, and those of them that another rule decides about. */
  async function fittingBranches(visit: Visit, access: RepositoryAccess, ruleName: string): Promise<Html> {
    if (ruleName === "") {
      return html`<p class="soft">Type the name of a branch, or a pattern.</p>`;
    }
    const [{ branches: rules }, branches] = await Promise.all([
      loadRules(db, access.repository.id, null),
      namesOfRefs(forge, access, "refs/heads/"),
    ]);
    const comparing = new BranchRules(rules.rules);
    let found: { name: string; by: string | null }[] | null;
    try {
      found = ifNotTooCostly(() =>
        branches.names.flatMap((name) =>
          comparing.fits(ruleName, name) ? [{ name, by: comparing.find(name)?.ruleName ?? null }] : [],
        ),
      );
    } catch (error) {
      if (error instanceof InvalidInput) {
        return html`<p class="problem">${error.message}.</p>`;
      }
      throw error;
    }
    if (found === null) {
      return html`<p class="soft">There are too many branches to compare.</p>`;
    }
    const isKnown = rules.rules.some((rule) => rule.ruleName === ruleName);
    // A new pattern is tried last, a new exact name first.
    const mine = found.filter(({ name, by }) => name === ruleName || by === null || (isKnown && by === ruleName));
    const others = found.filter((one) => !mine.includes(one));
    return html`<p>${
      mine.length === 0
        ? "It decides about no branch yet."
        : html`It decides about ${countOf("branch", mine.length, branches)}: ${refNames(
            visit,
            access,
            "branch",
            mine.map(({ name }) => name),
          )}`
    }</p>
      ${
        others.length > 0 &&
        html`<p class="soft small">It also fits ${refNames(
          visit,
          access,
          "branch",
          others.map(({ name }) => name),
        )}, about which ${[...new Set(others.map(({ by }) => by))].join(", ")} ${new Set(others.map(({ by }) => by)).size === 1 ? "decides" : "decide"}.</p>`
      }`;
  }

  async function rulePage(visit: Visit, access: RepositoryAccess, shown: Shown): Promise<Page> {
    const { rule, values, refused, words } = shown;
    const name = rule?.row.ruleName ?? values("rule_name").trim();
    const link = settingsLink(visit.root, access, "branches");
    const isOrganization = access.owner.kind === "organization";
    const nameField =
      rule === null
        ? field(
            refused,
            {
              name: "rule_name",
              label: "Branches",
              hint: html`A name, or a pattern: <code>*</code> is anything but a slash, <code>**</code> anything, <code>{a,b}</code> one of several.`,
            },
            (attributes) =>
              html`<input type="text" class="mono" ${attributes} value="${values("rule_name")}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required autofocus>`,
          )
        : html`<input type="hidden" name="rule" value="${name}"><input type="hidden" name="seen" value="${rule.row.updatedAt.getTime()}">`;
    const effect =
      words === null
        ? html`<p class="problem">It cannot be read as it was typed.</p>`
        : ruleWords(visit, explainRule(words));
    return settingsPage(visit, access, "branches", {
      ...(refused === null ? {} : { status: refused.status }),
      title: rule === null ? "New rule for branches" : `Rule for ${name}`,
      body: html`${note(visit, "bad", problemAbove(refused, ruleFieldNames))}
        <live-form><form class="rule-form" method="post" action="${link}/edit"><div class="form">${visit.formField()}${nameField}${ruleFields(refused, values, isOrganization)}
        <div class="line flow"><button class="button main">Save the rule</button><button class="button" name="preview" value="1" formnovalidate>Show what it does</button><a class="button" href="${link}">Cancel</a></div></div>
        <section class="panel" data-live aria-label="What the rule does" aria-live="polite"><header><h2>What it does</h2></header><div class="body stack">${await fittingBranches(visit, access, name)}${effect}</div></section></form></live-form>
        ${rule !== null && html`<form method="post" action="${link}/delete">${visit.formField()}<input type="hidden" name="rule" value="${name}"><button class="button danger">${icon(visit, "trash-2")}Delete the rule</button></form>`}`,
    });
  }

  return [
    page("GET", path, { ...administers, onArchived: "allowed" }, async ({ visit, repository: access }) => {
      const rule = await getRule(access, visit.query.get("rule_name") ?? "");
      return rulePage(visit, access, shownOf(rule, valuesOfRule(rule)));
    }),
    page("POST", path, { ...administers, longForm: true }, async ({ visit, doer, repository: access }) => {
      const { form } = visit;
      const rule = await getRule(access, form.text("rule"));
      const values: Values = (name) => form.text(name);
      const typed = (refused: Refusal | null): Shown => {
        try {
          return { rule, values, refused, words: explained(readRule(form)) };
        } catch (error) {
          if (error instanceof InvalidInput) {
            return { rule, values, refused, words: null };
          }
          throw error;
        }
      };
      if (form.text("preview") !== "") {
        return rulePage(visit, access, typed(null));
      }
      return tryForm(
        async () => {
          const input = readRule(form);
          const name = rule?.row.ruleName ?? form.text("rule_name").trim();
          const seen = Number(form.text("seen"));
          await forge.change(doer, (work) =>
            rule === null
              ? createBranchProtection(work, access, name, input)
              : editBranchProtection(work, access, name, input, new Date(seen)),
          );
          return new Redirect(settingsLink(visit.root, access, "branches"), `The rule for ${name} is saved`);
        },
        (refused) => rulePage(visit, access, typed(refused)),
      );
    }),
  ];
}
