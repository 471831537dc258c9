import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { attachFiles } from "../../domain/work/comments/attachments.ts";
import { findConfig, findTemplates } from "../../domain/work/issue-templates/find-templates.ts";
import type { IssueTemplate } from "../../domain/work/issue-templates/read-template.ts";
import { mayWriteIssue } from "../../domain/work/issues/access.ts";
import { createIssue, longestTitle } from "../../domain/work/issues/create-issue.ts";
import { listUsableLabels } from "../../domain/work/labels/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { issueLink, issuesLink } from "../links.ts";
import { opensIssues, type DeclarePage, type PageRoute } from "../pages.ts";
import { editor } from "../parts/editor.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { quoted } from "../writing/marks.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { findSource } from "./source.ts";
import { changeWithFiles } from "./sent-files.ts";
import { missingField, templateField, textOfFields } from "./template-fields.ts";
import { renderComments } from "./texts.ts";

/** Addresses can fill in the form up to so many characters. */
const longestPrefill = 10_000;
const manyLabels = { size: 1000, offset: 0 };

/** What the form shows beside its template. */
interface Shown {
  readonly refused: Refusal | null;
  readonly preview: Html | null;
}

function choosePage(
  visit: Visit,
  access: RepositoryAccess,
  templates: readonly IssueTemplate[],
  { config, problem }: Awaited<ReturnType<typeof findConfig>>,
): Page {
  const address = `${issuesLink(visit.root, access, { isPull: false })}/new`;
  const rows = templates.map(
    ({ fileName, name, about }) =>
      html`<li><div class="grow"><a class="plain" href="${address}?${new URLSearchParams({ template: fileName }).toString()}"><b dir="auto">${name}</b></a><p class="soft" dir="auto">${about}</p></div>${icon(visit, "chevron-right")}</li>`,
  );
  const links = config.contactLinks.map(
    ({ name, url, about }) =>
      html`<li><div class="grow"><a class="plain" rel="nofollow noopener" href="${url}"><b dir="auto">${name}</b></a><p class="soft" dir="auto">${about}</p></div>${icon(visit, "link")}</li>`,
  );
  const blank = config.blankIssues
    ? html`<li><div class="grow"><a class="plain" href="${address}"><b>Another matter</b></a><p class="soft">Begin with an empty text.</p></div>${icon(visit, "chevron-right")}</li>`
    : null;
  return {
    title: `New issue · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    body: html`<div class="stack"><h1>What is it about?</h1>${note(visit, "warn", problem === null ? null : `${problem}.`)}<ul class="panel edge rows links">${rows}${links}${blank}</ul></div>`,
  };
}

/** What an address asks to begin the text with: itself, or a quotation of a text that the new issue refers to. */
async function beginningOf(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<string> {
  const from = visit.query.get("from") ?? "";
  if (!/^[1-9]\d{0,8}$/.test(from)) {
    return clip(visit.query.get("body") ?? "", longestPrefill);
  }
  const { text, address } = await findSource(forge, visit, access, Number(from), visit.query.get("comment") ?? "");
  return `${quoted(clip(text, longestPrefill))}From ${new URL(address, forge.addresses.base).href}\n`;
}

async function formPage(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  template: IssueTemplate | null,
  { refused, preview }: Shown,
): Promise<Page> {
  const { form } = visit;
  const isSent = visit.request.method === "POST";
  const prefilled = (name: string) => clip(visit.query.get(name) ?? "", longestPrefill);
  const title = isSent ? form.text("title") : prefilled("title") || (template?.title ?? "");
  const fields = template?.fields ?? null;
  const address = `${issuesLink(visit.root, access, { isPull: false })}/new`;
  const between =
    fields === null
      ? []
      : await renderComments(
          forge,
          visit,
          access,
          fields.map(({ type, attributes }) =>
            type === "markdown" && typeof attributes["value"] === "string" ? attributes["value"] : "",
          ),
        );
  const text =
    fields === null
      ? editor(
          visit,
          {
            name: "body",
            label: "Text",
            text: isSent ? form.text("body") : (await beginningOf(forge, visit, access)) || (template?.content ?? ""),
            problem: refused?.field === "body" ? refused.message : null,
            files: { problem: refused?.field === "files" ? refused.message : null },
          },
          preview,
        )
      : html`${fields.map((one, index) => templateField(one, form, between[index] ?? html``))}`;
  return {
    status: refused?.status ?? 200,
    title: `New issue · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "issues" },
    body: html`<div class="stack"><h1>${template === null ? "New issue" : template.name}</h1>${template !== null && html`<p class="soft" dir="auto">${template.about}</p>`}${note(visit, "bad", problemAbove(refused, ["title", "body", "files"]))}
      <form class="stack" method="post" action="${address}" enctype="multipart/form-data">${visit.formField()}${template !== null && html`<input type="hidden" name="template" value="${template.fileName}">`}
      ${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} value="${title}" dir="auto" maxlength="${longestTitle}" required autofocus>`)}
      ${text}<div class="line flow end"><a class="button" href="${issuesLink(visit.root, access, { isPull: false })}">Cancel</a><button class="button main">Open the issue</button></div></form></div>`,
  };
}

/** The pages that open an issue: the choice of a template, and the form. */
export function newIssuePages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function getTemplate(visit: Visit, access: RepositoryAccess, fileName: string): Promise<IssueTemplate | null> {
    if (fileName === "") {
      return null;
    }
    const templates = await findTemplates(forge, access.repository, visit.request.signal);
    const found = templates.find((one) => one.fileName === fileName);
    if (found === undefined) {
      throw new NotFound("template", clip(fileName, 200));
    }
    return found;
  }

  /** The ids of the labels that a template names, for those who may give labels. */
  async function labelsOf(access: RepositoryAccess, template: IssueTemplate | null): Promise<number[]> {
    if (template === null || template.labels.length === 0 || !mayWriteIssue(access, { isPull: false })) {
      return [];
    }
    const labels = await listUsableLabels(forge.database.db, access, manyLabels);
    return labels.filter(({ name }) => template.labels.includes(name)).map(({ id }) => id);
  }

  return [
    page("GET", "/:owner/:repo/issues/new/choose", opensIssues, async ({ visit, repository: access }) => {
      const { signal } = visit.request;
      const [templates, config] = await Promise.all([
        findTemplates(forge, access.repository, signal),
        findConfig(forge, access.repository, signal),
      ]);
      const isChoice = templates.length > 0 || config.config.contactLinks.length > 0;
      return isChoice
        ? choosePage(visit, access, templates, config)
        : new Redirect(`${issuesLink(visit.root, access, { isPull: false })}/new`);
    }),
    page("GET", "/:owner/:repo/issues/new", opensIssues, async ({ visit, repository: access }) => {
      const template = await getTemplate(visit, access, visit.query.get("template") ?? "");
      return formPage(forge, visit, access, template, { refused: null, preview: null });
    }),
    page(
      "POST",
      "/:owner/:repo/issues/new",
      { ...opensIssues, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const { form } = visit;
        const template = await getTemplate(visit, access, form.text("template"));
        const fields = template?.fields ?? null;
        const body = fields === null ? form.lines("body") : textOfFields(fields, form);
        if (form.text("preview") !== "") {
          const [preview = null] = await renderComments(forge, visit, access, [body]);
          return formPage(forge, visit, access, template, { refused: null, preview });
        }
        const missing = fields === null ? null : missingField(fields, form);
        if (missing !== null) {
          const refused = { status: 422, message: `"${clip(missing, 80)}" has to be filled in`, field: null };
          return formPage(forge, visit, access, template, { refused, preview: null });
        }
        return tryForm(
          async () => {
            const labels = await labelsOf(access, template);
            const row = await changeWithFiles(forge, doer, form.files, async (work, added) => {
              const made = await createIssue(work, access, {
                title: form.text("title"),
                body,
                ref: template?.ref ?? "",
                assignees: [],
                labels,
                milestone: null,
                dueAt: null,
                closed: false,
              });
              await attachFiles(work, access, { number: made.number }, added);
              return made;
            });
            return new Redirect(issueLink(visit.root, access, row));
          },
          (refused) => formPage(forge, visit, access, template, { refused, preview: null }),
        );
      },
    ),
  ];
}
