import type { OwnerAccess } from "../../auth/subject.ts";
import { packageTypes, type PackageType } from "../../db/schema/packages.ts";
import { deleteCleanupRule, previewPage, setCleanupRule } from "../../domain/packages/clean-packages.ts";
import { findCleanupRule, listCleanupRules } from "../../domain/packages/cleanup-queries.ts";
import type { CleanupRule } from "../../domain/packages/cleanup-rules.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { packageLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { formatNames, packagesPlace } from "./list.ts";
import { managesPackages } from "./specs.ts";
import { typeIn } from "./version.ts";

/** The most versions that a preview names. */
const firstOnes = { size: 100, offset: 0 };

const usual: CleanupRule = {
  enabled: true,
  keepCount: 5,
  keepPattern: "",
  removeDays: 30,
  removePattern: "",
  matchFullName: false,
};

const fields = ["keep_count", "keep_pattern", "remove_days", "remove_pattern"];

/** Throws InvalidInput where a number is none. */
function readNumber(form: Form, name: string): number {
  const text = form.text(name).trim();
  if (!/^\d{0,6}$/.test(text)) {
    throw new InvalidInput(`"${clip(text, 20)}" is no number up to 999,999`, name);
  }
  return Number(text);
}

function readRule(form: Form): CleanupRule {
  return {
    enabled: form.has("enabled"),
    keepCount: readNumber(form, "keep_count"),
    keepPattern: form.text("keep_pattern"),
    removeDays: readNumber(form, "remove_days"),
    removePattern: form.text("remove_pattern"),
    matchFullName: form.has("match_full_name"),
  };
}

/** What the form shows: the texts that were sent, or those of the rule. */
function typedRule(form: Form, rule: CleanupRule) {
  const isSent = form.has("keep_count");
  return {
    keep_count: isSent ? form.text("keep_count") : String(rule.keepCount),
    keep_pattern: isSent ? form.text("keep_pattern") : rule.keepPattern,
    remove_days: isSent ? form.text("remove_days") : String(rule.removeDays),
    remove_pattern: isSent ? form.text("remove_pattern") : rule.removePattern,
    enabled: isSent ? form.has("enabled") : rule.enabled,
    match_full_name: isSent ? form.has("match_full_name") : rule.matchFullName,
  };
}

const rulesOf = (visit: Visit, { owner }: OwnerAccess) => `${packageLink(visit.root, owner.name)}/rules`;

function previewed(
  visit: Visit,
  { owner }: OwnerAccess,
  { rows: versions, total }: Awaited<ReturnType<typeof previewPage>>,
): Html {
  const rows = versions.map(
    ({ package: of, version }) =>
      html`<li>${icon(visit, "box")}<a class="grow cut" href="${packageLink(visit.root, owner.name, of, version.version)}"><b dir="auto">${of.name}</b> ${version.version}</a><span class="soft whole">${ago(visit, version.createdAt)}</span></li>`,
  );
  const words =
    total === 0
      ? "The rule would delete nothing now."
      : `The rule would delete ${counted(total, "version")} now${total > versions.length ? `, these first ${versions.length} among them` : ""}.`;
  return html`<section class="stack s" id="preview"><h2>Preview</h2>${note(visit, total === 0 ? "info" : "warn", words)}${total > 0 && html`<ul class="panel rows">${rows}</ul>`}</section>`;
}

/** The rules by which an owner's versions are deleted, each with a preview of what it would delete now. */
export function packageRulePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function show(visit: Visit, access: OwnerAccess, type: PackageType, refused: Refusal | null): Promise<Page> {
    const { form } = visit;
    const row = await findCleanupRule(db, access.owner.id, type);
    const typed = typedRule(form, row ?? usual);
    const hasPreview = refused === null && row !== null;
    const number = (name: "keep_count" | "remove_days", label: string, hint: string) =>
      field(
        refused,
        { name, label, hint },
        (attributes) => html`<input type="number" ${attributes} min="0" max="999999" value="${typed[name]}">`,
      );
    const pattern = (name: "keep_pattern" | "remove_pattern", label: string, hint: string) =>
      field(
        refused,
        { name, label, hint },
        (attributes) =>
          html`<input type="text" ${attributes} maxlength="200" value="${typed[name]}" autocomplete="off" spellcheck="false">`,
      );
    const address = `${rulesOf(visit, access)}/${type}`;
    return {
      status: refused?.status ?? 200,
      title: `Cleanup rule for ${formatNames[type]} · ${access.owner.name}`,
      place: packagesPlace(visit, access),
      body: html`<div class="stack l"><div class="title"><h1><a class="plain" href="${rulesOf(visit, access)}">Cleanup rules</a> / ${formatNames[type]}</h1></div>${note(visit, "bad", problemAbove(refused, fields))}
        <form class="form" method="post" action="${address}">${visit.formField()}
        <label class="choice"><input type="checkbox" name="enabled" value="1"${typed.enabled && html` checked`}> Apply the rule once a day</label>
        ${number("keep_count", "Versions to keep", "So many of the newest versions of each package stay.")}
        ${pattern("keep_pattern", "Keep versions that match", "A regular expression (RE2) of the whole version, such as .*-stable")}
        ${number("remove_days", "Days to keep", "Versions that are younger stay.")}
        ${pattern("remove_pattern", "Delete versions that match", "Of the others, the versions that match are deleted; if this is empty, all.")}
        <label class="choice"><input type="checkbox" name="match_full_name" value="1"${typed.match_full_name && html` checked`}> The expressions match PACKAGE/VERSION</label>
        <div class="line flow"><button class="button main">Save</button>${row !== null && html`<button class="button danger" name="delete" value="1" formnovalidate>Delete the rule</button>`}</div></form>
        ${hasPreview && previewed(visit, access, await previewPage(db, row, firstOnes))}</div>`,
    };
  }

  return [
    page("GET", "/:owner/-/packages/rules", managesPackages, async ({ visit, owner: access }) => {
      const rules = new Map((await listCleanupRules(db, access.owner.id)).map((rule) => [rule.type, rule]));
      const rows = packageTypes.map((type) => {
        const rule = rules.get(type);
        const state =
          rule === undefined
            ? html`<span class="soft">No rule: versions stay until somebody deletes them</span>`
            : html`<span class="soft">${rule.keepCount > 0 && `keeps ${wholeNumber(rule.keepCount)} versions, `}${rule.removeDays > 0 && `keeps ${wholeNumber(rule.removeDays)} days, `}${rule.followedAt === null ? "not applied yet" : html`applied ${ago(visit, rule.followedAt)}`}</span>${!rule.enabled && html`<span class="tag amber">off</span>`}`;
        return html`<li>${icon(visit, "box")}<a href="${rulesOf(visit, access)}/${type}"><b>${formatNames[type]}</b></a><span class="grow"></span>${state}</li>`;
      });
      return {
        title: `Cleanup rules · ${access.owner.name}`,
        place: packagesPlace(visit, access),
        body: html`<div class="stack"><div class="title"><h1><a class="plain" href="${packageLink(visit.root, access.owner.name)}">Packages</a> / Cleanup rules</h1></div><p class="soft">A rule deletes old versions of a format once a day.</p><ul class="panel rows">${rows}</ul></div>`,
      };
    }),
    page("GET", "/:owner/-/packages/rules/:type", managesPackages, ({ visit, owner }) =>
      show(visit, owner, typeIn(visit), null),
    ),
    page("POST", "/:owner/-/packages/rules/:type", managesPackages, ({ visit, doer, owner: access }) => {
      const { form } = visit;
      const type = typeIn(visit);
      return tryForm(
        async () => {
          if (form.has("delete")) {
            await forge.change(doer, (work) => deleteCleanupRule(work, access.owner, type));
            return new Redirect(rulesOf(visit, access), `The rule for ${formatNames[type]} is deleted.`);
          }
          const rule = readRule(form);
          await forge.change(doer, (work) => setCleanupRule(work, access.owner, type, rule));
          return new Redirect(`${rulesOf(visit, access)}/${type}`, "The rule is saved.");
        },
        (refused) => show(visit, access, type, refused),
      );
    }),
  ];
}
