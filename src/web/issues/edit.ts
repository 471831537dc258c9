import type { RepositoryAccess } from "../../auth/subject.ts";
import type { NewAttachment } from "../../domain/repos/attachments/add-attachment.ts";
import {
  attachmentsOfComments,
  attachmentsOfIssues,
  type AttachmentRow,
} from "../../domain/repos/attachments/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Work } from "../../domain/spine/work.ts";
import { attachFiles, deleteFile } from "../../domain/work/comments/attachments.ts";
import type { TextTarget } from "../../domain/work/comments/lock-text.ts";
import { findEntry, type EntryOfIssue } from "../../domain/work/comments/queries.ts";
import { deleteComment, editComment } from "../../domain/work/comments/write-comment.ts";
import { mayReadIssue } from "../../domain/work/issues/access.ts";
import { longestTitle } from "../../domain/work/issues/create-issue.ts";
import { deleteIssue } from "../../domain/work/issues/delete-issue.ts";
import { editIssue } from "../../domain/work/issues/edit-issue.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink, issuesLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { editor } from "../parts/editor.ts";
import { confirmField, notConfirmed } from "../parts/confirm-field.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { readNumber } from "./discussion.ts";
import { changeWithFiles } from "./sent-files.ts";
import { renderComments } from "./texts.ts";
import { administersIssues, participatesInIssues } from "./specs.ts";
import { readRowId } from "../read-row-id.ts";

/** Boxes that take files away from a text when it is saved. */
function fileBoxes(visit: Visit, files: readonly AttachmentRow[]): Html | null {
  const boxes = files.map(
    ({ id, uuid, name, bytes }) =>
      html`<li><label class="line grow"><input type="checkbox" name="remove" value="${id}"${visit.form.all("remove").includes(String(id)) && html` checked`}><span class="cut" dir="auto">${name}</span><span class="faint">${fileSize(bytes)}</span></label><a href="${visit.root}/attachments/${uuid}">Open<span class="sr"> ${name}</span></a></li>`,
  );
  return files.length === 0
    ? null
    : html`<fieldset class="panel edge"><legend class="pad">Tick the files to remove</legend><ul class="rows">${boxes}</ul></fieldset>`;
}

/** The text that somebody else saved meanwhile, beside one that was refused for it. */
function asItIsNow(refused: Refusal | null, text: string, title: string | null): Html | null {
  return refused?.status !== 409
    ? null
    : html`<section class="panel" aria-label="As it is now"><header><h2>As it is now</h2></header><div class="body stack s">${title !== null && html`<p><b dir="auto">${title}</b></p>`}<pre tabindex="0" dir="auto">${text}</pre></div></section>`;
}

/** What an editor of a text shows. */
interface Typed {
  readonly title: string;
  readonly text: string;
  /** The version of the text that was read: another one must not be overwritten. */
  readonly version: string;
  readonly refused: Refusal | null;
  readonly preview: Html | null;
}

function typedIn(visit: Visit, refused: Refusal | null, preview: Html | null): Typed {
  const { form } = visit;
  return { title: form.text("title"), text: form.text("body"), version: form.text("version"), refused, preview };
}

const problemAt = (refused: Refusal | null, field: string): string | null =>
  refused?.field === field ? refused.message : null;

const problemsOf = (refused: Refusal | null) => ({
  problem: problemAt(refused, "body"),
  files: { problem: problemAt(refused, "files") },
});

/** The version that the text was read in. One that no page of ours wrote is none that there ever was. */
const versionOf = (visit: Visit): number =>
  /^\d{1,15}$/.test(visit.form.text("version")) ? Number(visit.form.text("version")) : -1;

function issueForm(
  visit: Visit,
  access: RepositoryAccess,
  row: IssueRow,
  files: readonly AttachmentRow[],
  typed: Typed,
): Page {
  const address = issueFormsLink(visit.root, access, row);
  const { refused } = typed;
  return {
    status: refused?.status ?? 200,
    title: `Edit #${row.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: row.isPull ? "pulls" : "issues" },
    body: html`<div class="stack"><h1>Edit #${row.number}</h1>${note(visit, "bad", problemAbove(refused, ["title", "body", "files"]))}
      ${asItIsNow(refused, row.body, row.title)}<form class="stack" method="post" action="${address}/edit" enctype="multipart/form-data">${visit.formField()}<input type="hidden" name="version" value="${refused?.status === 409 ? row.contentVersion : typed.version}">
      ${field(refused, { name: "title", label: "Title" }, (attributes) => html`<input type="text" ${attributes} value="${typed.title}" dir="auto" maxlength="${longestTitle}" required>`)}
      ${editor(visit, { name: "body", label: "Text", text: typed.text, ...problemsOf(refused) }, typed.preview)}${fileBoxes(visit, files)}
      <div class="line flow end"><a class="button" href="${issueLink(visit.root, access, row)}">Cancel</a><button class="button main">Save</button></div></form></div>`,
  };
}

function commentForm(
  visit: Visit,
  access: RepositoryAccess,
  { comment, issue }: EntryOfIssue,
  files: readonly AttachmentRow[],
  typed: Typed,
): Page {
  const address = `${issueFormsLink(visit.root, access, issue)}/comments/${comment.id}`;
  const { refused } = typed;
  return {
    status: refused?.status ?? 200,
    title: `Edit a comment on #${issue.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: issue.isPull ? "pulls" : "issues" },
    body: html`<div class="stack"><h1>Edit a comment on #${issue.number}</h1>${note(visit, "bad", problemAbove(refused, ["body", "files"]))}
      ${asItIsNow(refused, comment.body, null)}<form class="stack" method="post" action="${address}" enctype="multipart/form-data">${visit.formField()}<input type="hidden" name="version" value="${refused?.status === 409 ? comment.contentVersion : typed.version}">
      ${editor(visit, { name: "body", label: "Comment", text: typed.text, ...problemsOf(refused), isRequired: true }, typed.preview)}${fileBoxes(visit, files)}
      <div class="line flow end"><button class="button danger" name="delete" value="1" formnovalidate>Delete the comment</button><span class="grow"></span><a class="button" href="${issueLink(visit.root, access, issue)}#issuecomment-${comment.id}">Cancel</a><button class="button main">Save</button></div></form></div>`,
  };
}

function deleteForm(visit: Visit, access: RepositoryAccess, row: IssueRow, refused: Refusal | null): Page {
  const address = issueFormsLink(visit.root, access, row);
  const what = row.isPull ? "pull request" : "issue";
  return {
    status: refused?.status ?? 200,
    title: `Delete #${row.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: row.isPull ? "pulls" : "issues" },
    body: html`<div class="stack"><h1>Delete #${row.number}</h1>${note(visit, "warn", html`The ${what} <b dir="auto">${row.title}</b> goes with its comments and files. This cannot be undone.`)}
      <form class="form" method="post" action="${address}/delete">${visit.formField()}
      ${confirmField(refused, `#${row.number}`)}
      <div class="line flow"><a class="button" href="${issueLink(visit.root, access, row)}">Cancel</a><button class="button danger">Delete the ${what}</button></div></form></div>`,
  };
}

/** Takes away the files that were ticked, and adds those that were sent. Throws NotFound, Forbidden, InvalidAttachment. */
async function changeFiles(
  work: Work,
  access: RepositoryAccess,
  target: TextTarget,
  form: Form,
  added: readonly NewAttachment[],
): Promise<void> {
  for (const text of form.all("remove")) {
    const id = readRowId(text);
    if (id !== null) {
      await deleteFile(work, access, target, id);
    }
  }
  await attachFiles(work, access, target, added);
}

/** The pages that edit or delete an issue, a pull request or a comment. */
export function issueEditPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function getComment(access: RepositoryAccess, visit: Visit): Promise<EntryOfIssue> {
    const { id: text = "" } = visit.params;
    const id = readRowId(text);
    const found = id === null ? null : await findEntry(forge.database.db, access.repository.id, id);
    if (
      found === null ||
      found.comment.kind !== "comment" ||
      !mayReadIssue(access, found.issue) ||
      found.issue.number !== readNumber(visit)
    ) {
      throw new NotFound("comment", text);
    }
    return found;
  }

  const filesOf = ({ comment }: EntryOfIssue) => attachmentsOfComments(forge.database.db, [comment.id]);

  async function previewOf(visit: Visit, access: RepositoryAccess): Promise<Html | null> {
    return (await renderComments(forge, visit, access, [visit.form.lines("body")]))[0] ?? null;
  }

  return [
    page("GET", "/:owner/:repo/issues/:index/edit", participatesInIssues, async ({ visit, repository: access }) => {
      const row = await getIssueRow(forge, access, readNumber(visit));
      const version = String(row.contentVersion);
      const typed = { title: row.title, text: row.body, version, refused: null, preview: null };
      return issueForm(visit, access, row, await attachmentsOfIssues(forge.database.db, [row.id]), typed);
    }),
    page(
      "POST",
      "/:owner/:repo/issues/:index/edit",
      { ...participatesInIssues, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const row = await getIssueRow(forge, access, readNumber(visit));
        if (visit.form.text("preview") !== "") {
          const files = await attachmentsOfIssues(forge.database.db, [row.id]);
          return issueForm(visit, access, row, files, typedIn(visit, null, await previewOf(visit, access)));
        }
        return tryForm(
          async () => {
            const patch = {
              title: visit.form.text("title"),
              body: visit.form.lines("body"),
              contentVersion: versionOf(visit),
            };
            const target = { number: row.number };
            await changeWithFiles(forge, doer, visit.form.files, async (work, added) => {
              await editIssue(work, access, row.number, patch);
              await changeFiles(work, access, target, visit.form, added);
            });
            return new Redirect(issueLink(visit.root, access, row));
          },
          async (refused) => {
            // The form has the version of now, so that sending it again saves it.
            const now = await getIssueRow(forge, access, row.number);
            const files = await attachmentsOfIssues(forge.database.db, [row.id]);
            return issueForm(visit, access, now, files, typedIn(visit, refused, null));
          },
        );
      },
    ),
    page(
      "GET",
      "/:owner/:repo/issues/:index/comments/:id",
      participatesInIssues,
      async ({ visit, repository: access }) => {
        const found = await getComment(access, visit);
        const { body: text, contentVersion } = found.comment;
        return commentForm(visit, access, found, await filesOf(found), {
          title: "",
          text,
          version: String(contentVersion),
          refused: null,
          preview: null,
        });
      },
    ),
    page(
      "POST",
      "/:owner/:repo/issues/:index/comments/:id",
      { ...participatesInIssues, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const found = await getComment(access, visit);
        const { comment, issue } = found;
        if (visit.form.text("preview") !== "") {
          const typed = typedIn(visit, null, await previewOf(visit, access));
          return commentForm(visit, access, found, await filesOf(found), typed);
        }
        return tryForm(
          async () => {
            if (visit.form.text("delete") !== "") {
              await forge.change(doer, (work) => deleteComment(work, access, comment.id));
              return new Redirect(issueLink(visit.root, access, issue), "The comment is deleted.");
            }
            const text = { body: visit.form.lines("body"), writtenAt: null, contentVersion: versionOf(visit) };
            await changeWithFiles(forge, doer, visit.form.files, async (work, added) => {
              await editComment(work, access, comment.id, text);
              await changeFiles(work, access, { commentId: comment.id }, visit.form, added);
            });
            return new Redirect(`${issueLink(visit.root, access, issue)}#issuecomment-${comment.id}`);
          },
          async (refused) => {
            const now = await getComment(access, visit);
            return commentForm(visit, access, now, await filesOf(now), typedIn(visit, refused, null));
          },
        );
      },
    ),
    page("GET", "/:owner/:repo/issues/:index/delete", administersIssues, async ({ visit, repository: access }) =>
      deleteForm(visit, access, await getIssueRow(forge, access, readNumber(visit)), null),
    ),
    page(
      "POST",
      "/:owner/:repo/issues/:index/delete",
      administersIssues,
      async ({ visit, doer, repository: access }) => {
        const row = await getIssueRow(forge, access, readNumber(visit));
        if (visit.form.text("confirm").trim().replace(/^#/, "") !== String(row.number)) {
          return deleteForm(visit, access, row, notConfirmed(`#${row.number}`));
        }
        await forge.change(doer, (work) => deleteIssue(work, access, row.number));
        return new Redirect(issuesLink(visit.root, access, row), `#${row.number} is deleted.`);
      },
    ),
  ];
}
