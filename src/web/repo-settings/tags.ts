import type { RepositoryAccess } from "../../auth/subject.ts";
import { TagRules } from "../../domain/git/protections/branch-rules.ts";
import {
  createTagProtection,
  deleteTagProtection,
  editTagProtection,
} from "../../domain/git/protections/edit-tag-protection.ts";
import { findTagProtection, listTagProtections, type TagProtection } from "../../domain/git/protections/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import type { Values } from "./column-form.ts";
import { countOf, ifNotTooCostly, namesOfRefs, refNames } from "./rule-words.ts";
import { administers, settingsLink, settingsPage } from "./settings-page.ts";

const fieldNames = ["name_pattern", "whitelist_usernames", "whitelist_teams"] as const;
const namesIn = (text: string) => text.split(/[\s,]+/).filter((name) => name !== "");

const link = (visit: Visit, access: RepositoryAccess, below = "") => settingsLink(visit.root, access, `tags${below}`);

function words({ list: { users, teams } }: TagProtection): string {
  const names = [...users, ...teams.map((team) => `the team ${team}`)];
  return names.length === 0
    ? "Nobody may make, move or delete such a tag."
    : `Only ${names.join(", ")} may make, move and delete such a tag.`;
}

function tagForm(
  visit: Visit,
  access: RepositoryAccess,
  action: string,
  values: Values,
  refused: Refusal | null,
  hidden: Html | null,
): Html {
  const text = (name: (typeof fieldNames)[number], label: string, hint: string | null, isRequired = false) =>
    field(
      refused,
      { name, label, hint },
      (attributes) =>
        html`<input type="text" class="mono" ${attributes} value="${values(name)}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="4000"${isRequired && html` required`}>`,
    );
  return html`<form class="form" method="post" action="${action}">${visit.formField()}${hidden}
    ${text("name_pattern", "Tags", "A name or a pattern, such as v*.", true)}
    ${text("whitelist_usernames", "Users who may make, move and delete them", "Names, apart by commas. With nobody here, such tags stay as they are.")}
    ${access.owner.kind === "organization" && text("whitelist_teams", "Teams that may", null)}
    <button class="button main">Save the rule</button></form>`;
}

function rulePage(visit: Visit, access: RepositoryAccess, rule: TagProtection, refused: Refusal | null): Page {
  const { row, list } = rule;
  const at = link(visit, access, `/${row.id}`);
  const now: Readonly<Record<string, string>> = {
    name_pattern: row.namePattern,
    whitelist_usernames: list.users.join(", "),
    whitelist_teams: list.teams.join(", "),
  };
  const values: Values = (name) => (refused === null ? (now[name] ?? "") : visit.form.text(name));
  return settingsPage(visit, access, "tags", {
    ...(refused === null ? {} : { status: refused.status }),
    title: `Rule for ${row.namePattern}`,
    body: html`${note(visit, "bad", problemAbove(refused, fieldNames))}${tagForm(visit, access, at, values, refused, html`<input type="hidden" name="seen" value="${row.updatedAt.getTime()}">`)}
      <form method="post" action="${at}/delete">${visit.formField()}<button class="button danger">${icon(visit, "trash-2")}Delete the rule</button></form>`,
  });
}

const listOf = (visit: Visit) => ({
  users: namesIn(visit.form.text("whitelist_usernames")),
  teams: namesIn(visit.form.text("whitelist_teams")),
});

/** The rules for tags. */
export function tagRulePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/tags";

  async function getRule(visit: Visit, access: RepositoryAccess): Promise<TagProtection> {
    const { id = "" } = visit.params;
    const number = readRowId(id);
    const rule = number === null ? null : await findTagProtection(db, access.repository.id, number);
    if (rule === null) {
      throw new NotFound("tag protection", id.slice(0, 40));
    }
    return rule;
  }

  async function tagsPage(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const [{ rows }, tags] = await Promise.all([
      listTagProtections(db, access.repository.id, { size: 100, offset: 0 }),
      namesOfRefs(forge, access, "refs/tags/"),
    ]);
    const rules = new TagRules(rows.map(({ row }) => ({ namePattern: row.namePattern, listed: false })));
    const fitting = ifNotTooCostly(() =>
      tags.names.map((name) => ({ name, by: rules.find(name).map(({ namePattern }) => namePattern) })),
    );
    const items = rows.map((rule) => {
      const names = (fitting ?? []).flatMap(({ name, by }) => (by.includes(rule.row.namePattern) ? [name] : []));
      const count = fitting === null ? "There are too many tags to compare." : countOf("tag", names.length, tags);
      return html`<li class="rule"><div class="grow stack s"><div class="line flow"><code class="ref">${rule.row.namePattern}</code><span class="soft small">${count}</span> ${refNames(visit, access, "tag", names)}</div><p class="soft">${words(rule)}</p></div><a class="button s" href="${link(visit, access, `/${rule.row.id}`)}" aria-label="Edit ${rule.row.namePattern}">Edit</a></li>`;
    });
    const list =
      rows.length === 0
        ? empty(visit, "tag", "No rules", "Everybody who may write to the code can make, move and delete tags.")
        : html`<ul class="panel edge rows">${items}</ul><p class="soft small">If several rules fit a tag, one that lets somebody is enough.</p>`;
    return settingsPage(visit, access, "tags", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Tags",
      about: "Rules say who may make, move and delete which tag.",
      body: html`${note(visit, "bad", problemAbove(refused, fieldNames))}${list}<section class="section"><h2>New rule</h2>${tagForm(visit, access, link(visit, access), (name) => visit.form.text(name), refused, null)}</section>`,
    });
  }

  return [
    page("GET", path, { ...administers, onArchived: "allowed" }, ({ visit, repository }) =>
      tagsPage(visit, repository, null),
    ),
    page("POST", path, { ...administers, longForm: true }, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const pattern = visit.form.text("name_pattern").trim();
          await forge.change(doer, (work) => createTagProtection(work, access, pattern, listOf(visit)));
          return new Redirect(link(visit, access), `The rule for ${pattern} is saved`);
        },
        (refused) => tagsPage(visit, access, refused),
      ),
    ),
    page("GET", `${path}/:id`, { ...administers, onArchived: "allowed" }, async ({ visit, repository: access }) =>
      rulePage(visit, access, await getRule(visit, access), null),
    ),
    page("POST", `${path}/:id`, { ...administers, longForm: true }, async ({ visit, doer, repository: access }) => {
      const rule = await getRule(visit, access);
      return tryForm(
        async () => {
          const namePattern = visit.form.text("name_pattern").trim();
          const seen = new Date(Number(visit.form.text("seen")));
          await forge.change(doer, (work) =>
            editTagProtection(work, access, rule.row.id, { ...listOf(visit), namePattern }, seen),
          );
          return new Redirect(link(visit, access), `The rule for ${namePattern} is saved`);
        },
        (refused) => rulePage(visit, access, rule, refused),
      );
    }),
    page("POST", `${path}/:id/delete`, administers, async ({ visit, doer, repository: access }) => {
      const { row } = await getRule(visit, access);
      await forge.change(doer, (work) => deleteTagProtection(work, access, row.id));
      return new Redirect(link(visit, access), `The rule for ${row.namePattern} is deleted`);
    }),
  ];
}
