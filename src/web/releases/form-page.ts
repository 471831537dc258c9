import type { RepositoryAccess } from "../../auth/subject.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { uploadSessionsOf } from "../../domain/repos/attachments/upload-sessions.ts";
import { releaseVersion } from "../../domain/repos/releases/edit-release.ts";
import type { ReleaseRow } from "../../domain/repos/releases/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { releaseFormLink, releaseLink, releasesLink } from "../links.ts";
import { editor } from "../parts/editor.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { digest } from "./panel.ts";
import type { Typed } from "./typed.ts";

const longestTitle = 255;
const longestName = 255;
const offeredRefs = { size: 200, offset: 0 };
/** A part of a file that the script sends, bytes: less where the server takes less at once. */
const largestPart = 8 * 1024 * 1024;

/** What the page of the form shows besides what was typed. */
export interface FormPage {
  /** null: a new one. */
  readonly release: ReleaseRow | null;
  readonly assets: readonly AttachmentRow[];
  readonly typed: Typed;
  readonly refused?: Refusal | null;
  readonly preview?: Html | null;
  /** What the server did to the text. */
  readonly news?: string | null;
}

/** The field that a refusal is about has another name in the API. */
const fieldNames: Readonly<Record<string, string>> = { target_commitish: "target" };
const fieldsShown = ["tag_name", "target", "title", "body", "links", "files"];

function box(name: string, words: string, hint: string, isOn: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="1"${isOn && html` checked`}><span>${words}</span><small>${hint}</small></label>`;
}

function options(id: string, names: readonly string[]): Html {
  return html`<datalist id="${id}">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;
}

function present(visit: Visit, asset: AttachmentRow): Html {
  const { id, name, bytes, externalUrl, sha256 } = asset;
  const { form } = visit;
  const typed = (field: string, otherwise: string) => (form.has(field) ? form.text(field) : otherwise);
  const isGone = form.all("remove").includes(String(id));
  return html`<li>${icon(visit, externalUrl === null ? "box" : "external-link", "faint")}<span class="grow line flow"><input class="grow" name="name-${id}" value="${typed(`name-${id}`, name)}" maxlength="${longestName}" dir="auto" aria-label="Name of ${name}">${externalUrl !== null && html`<input class="grow" type="url" name="url-${id}" value="${typed(`url-${id}`, externalUrl)}" aria-label="Address of ${name}">`}</span>${sha256 !== null && digest(visit, sha256, name)}${externalUrl === null && html`<span class="soft num not-narrow">${fileSize(bytes)}</span>`}<label class="line"><input type="checkbox" name="remove" value="${id}"${isGone && html` checked`}>Remove<span class="sr"> ${name}</span></label></li>`;
}

/** The files: those that it has, those that were uploaded for this form, and those that are to come. */
function files(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  { assets, typed, refused = null }: FormPage,
): Html {
  const place = { userId: visit.actor?.id ?? 0, repositoryId: access.repository.id };
  const uploaded = uploadSessionsOf(forge)
    .whole(place, typed.uploads)
    .map(
      ({ id, name, size, sha256 }) =>
        html`<li data-upload="${id}">${icon(visit, "upload", "faint")}<span class="grow cut" dir="auto">${name}</span>${digest(visit, Buffer.from(sha256, "hex"), name)}<span class="soft num">${fileSize(size)}</span><label class="line"><input type="checkbox" name="upload" value="${id}" checked>Attach<span class="sr"> ${name}</span></label></li>`,
    );
  const { api, attachments } = forge.config;
  const part = Math.min(largestPart, api.content_limit_bytes);
  const wrong = refused?.field === "files";
  const again = refused === null ? "" : " Choose the files again that you had chosen here.";
  return html`<section class="panel edge" aria-labelledby="files-title"><div class="head"><h2 id="files-title">Files</h2></div>
    ${assets.length > 0 && html`<ul class="rows">${assets.map((asset) => present(visit, asset))}</ul>`}
    <release-files data-address="${releasesLink(visit.root, access)}/uploads" data-part="${part}" data-limit="${attachments.file_limit_bytes}"><ul class="rows">${uploaded}</ul>
    <div class="body stack s drop"><label class="field" for="files">Add files<input type="file" id="files" name="files" multiple aria-describedby="files-hint${wrong && " files-problem"}"${wrong && html` aria-invalid="true"`}></label>
    ${wrong && html`<p class="problem" id="files-problem">${refused?.message}.</p>`}
    <p class="hint" id="files-hint">At most ${fileSize(attachments.file_limit_bytes)} each; an interrupted upload is continued. Without JavaScript, at most ${fileSize(api.content_limit_bytes)} together.${again}</p></div></release-files>
    <div class="body">${field(
      refused,
      {
        name: "links",
        label: "Files that are elsewhere",
        hint: "One address a line, and behind it the name that the file is to have.",
      },
      (
        attributes,
      ) => html`<textarea ${attributes} class="mono" rows="2" placeholder="https://example.org/app.tar.gz app.tar.gz" spellcheck="false">
${typed.links}</textarea>`,
    )}</div></section>`;
}

/** Where the tag is, or will be. A published release stays with its tag. */
function tagFields(page: FormPage, refused: Refusal | null, names: { tags: string[]; branches: string[] }): Html {
  const { release, typed } = page;
  if (release !== null && !release.draft) {
    return html`<input type="hidden" name="tag_name" value="${release.tagName}"><input type="hidden" name="target" value="${release.target}">`;
  }
  return html`<div class="pair">${field(
    refused,
    { name: "tag_name", label: "Tag", hint: "One that there is, or the name of a new one." },
    (attributes) =>
      html`<input type="text" ${attributes} class="mono" value="${typed.tag}" list="tags" maxlength="${longestName}" autocomplete="off" autocapitalize="none" spellcheck="false" required${typed.tag === "" && html` autofocus`}>`,
  )}${field(
    refused,
    { name: "target", label: "At", hint: "A branch or a commit, for a new tag. Empty: the default branch." },
    (attributes) =>
      html`<input type="text" ${attributes} class="mono" value="${typed.target}" list="branches" maxlength="${longestName}" autocomplete="off" autocapitalize="none" spellcheck="false">`,
  )}</div>${options("tags", names.tags)}${options("branches", names.branches)}
  <details${typed.tagMessage !== "" && html` open`}><summary class="link">Message of a new tag</summary>${field(
    refused,
    {
      name: "tag_message",
      label: "Message",
      hint: "With one, the tag is an annotated one, which says who made it and when.",
    },
    (attributes) => html`<textarea ${attributes} rows="3" dir="auto">
${typed.tagMessage}</textarea>`,
  )}</details>`;
}

/** Notes are made of what pull requests say, for those who may read them. */
export function mayMakeNotes(visit: Visit): boolean {
  return reads(visit, "pulls") && reads(visit, "code");
}

function notesTools(visit: Visit, { before }: Typed): Html | null {
  return mayMakeNotes(visit)
    ? html`<div class="line flow"><button class="button" name="act" value="notes" formnovalidate>${icon(visit, "git-pull-request")}Notes from merged pull requests</button><label class="line">since <input class="mono auto" name="before" value="${before}" list="tags" size="16" maxlength="${longestName}" placeholder="the beginning" aria-label="Tag of the release before" autocomplete="off" spellcheck="false"></label></div>`
    : null;
}

function buttons(visit: Visit, access: RepositoryAccess, release: ReleaseRow | null): Html {
  const back = release === null ? releasesLink(visit.root, access) : releaseLink(visit.root, access, release.tagName);
  const isPublished = release?.draft === false;
  return html`<div class="line flow end"><a class="button" href="${back}">Cancel</a>${!isPublished && html`<button class="button" name="act" value="draft">Save as a draft</button>`}<button class="button main" name="act" value="publish">${isPublished ? "Save" : "Publish the release"}</button></div>`;
}

/** The page with the form of a release. */
export async function releaseFormPage(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  page: FormPage,
): Promise<Page> {
  const { release, typed, preview = null, news = null } = page;
  const told = page.refused ?? null;
  const refused = told === null ? null : { ...told, field: fieldNames[told.field ?? ""] ?? told.field };
  const list = async (prefix: string) =>
    reads(visit, "code") && !access.repository.empty
      ? (await forge.git.revisions.page(access.repository, prefix, offeredRefs)).rows.map(({ name }) =>
          name.slice(prefix.length),
        )
      : [];
  const [tags, branches] = await Promise.all([list("refs/tags/"), list("refs/heads/")]);
  const title = release === null ? "New release" : `Edit ${release.tagName}`;
  const action =
    release === null
      ? releaseFormLink(visit.root, access, "new")
      : releaseFormLink(visit.root, access, "edit", release.tagName);
  return {
    status: refused?.status ?? 200,
    title: `${title} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "releases" },
    scripts: ["release"],
    body: html`<div class="stack release-form"><h1 dir="auto">${title}</h1>${note(visit, "bad", problemAbove(refused, fieldsShown))}${note(visit, "info", news)}
      <form class="stack" method="post" action="${action}" enctype="multipart/form-data">${visit.formField()}${release !== null && html`<input type="hidden" name="seen" value="${releaseVersion(release)}">`}
      ${tagFields(page, refused, { tags, branches })}
      ${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} value="${typed.title}" dir="auto" maxlength="${longestTitle}" placeholder="As the tag">`)}
      ${editor(visit, { name: "body", label: "Notes", text: typed.body, problem: refused?.field === "body" ? refused.message : null }, preview)}
      ${notesTools(visit, typed)}
      ${files(forge, visit, access, { ...page, refused })}
      ${box("prerelease", "Pre-release", "Not ready for everybody: it is never the latest one.", typed.prerelease)}
      ${box("hide_archive_links", "Hide the archives of the source code", "For a release whose files are all there is to download.", typed.hideArchiveLinks)}
      ${buttons(visit, access, release)}</form></div>`,
  };
}
