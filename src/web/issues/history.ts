import type { RepositoryAccess } from "../../auth/subject.ts";
import type { OnIssue } from "../../domain/repos/attachments/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { forgetVersion } from "../../domain/work/comments/forget-version.ts";
import { findEntry } from "../../domain/work/comments/queries.ts";
import { findEdit, listEdits, type TextEdit } from "../../domain/work/comments/version-queries.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { diffTexts } from "../code/diff-texts.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { userName } from "../parts/person.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { readNumber } from "./discussion.ts";
import { rightsOn } from "./load.ts";
import { participatesInIssues, readsIssues } from "./specs.ts";

/** The text whose history a page shows. */
interface Subject {
  readonly row: IssueRow;
  readonly on: OnIssue;
  readonly authorId: number | null;
}

/** The address of the history of a text; `commentId` null: that of the issue itself. */
export function historyLink(address: string, commentId: number | null, edit: number | null = null): string {
  const query = new URLSearchParams({
    ...(commentId === null ? {} : { comment: String(commentId) }),
    ...(edit === null ? {} : { edit: String(edit) }),
  }).toString();
  return `${address}/history${query === "" ? "" : `?${query}`}`;
}

/** The pages that show what a text was before its edits, and delete that. */
export function historyPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function find(visit: Visit, access: RepositoryAccess, comment: string): Promise<Subject> {
    const row = await getIssueRow(forge, access, readNumber(visit));
    if (comment === "") {
      return { row, on: { issueId: row.id, commentId: null }, authorId: row.authorId };
    }
    const id = readRowId(comment);
    const found = id === null ? null : await findEntry(db, access.repository.id, id);
    if (found === null || found.issue.id !== row.id || found.comment.kind !== "comment") {
      throw new NotFound("comment", comment);
    }
    return { row, on: { issueId: row.id, commentId: found.comment.id }, authorId: found.comment.authorId };
  }

  async function changesOf(
    visit: Visit,
    access: RepositoryAccess,
    { row, on, authorId }: Subject,
    edit: TextEdit,
  ): Promise<Html> {
    const texts = await findEdit(db, on, edit.id);
    if (texts === null) {
      throw new NotFound("version", String(edit.id));
    }
    const rights = rightsOn(visit, access, row);
    const isOwn = visit.actor !== null && visit.actor.id === authorId && rights.comments;
    const address = issueFormsLink(visit.root, access, row);
    const forget = html`<details class="change"><summary class="small"><span class="link">Delete the text from before this edit</span></summary><form class="stack s" method="post" action="${address}/history">${visit.formField()}${on.commentId !== null && html`<input type="hidden" name="comment" value="${on.commentId}">`}<input type="hidden" name="edit" value="${edit.id}"><p>Nobody can read it any more then. This cannot be undone.</p><button class="button danger s">Delete it</button></form></details>`;
    const path = on.commentId === null ? `#${row.number}` : "comment";
    const diff =
      edit.forgottenAt !== null
        ? html`<p class="soft">The text from before this edit was deleted ${ago(visit, edit.forgottenAt)}.</p>`
        : await diffTexts(forge, visit, access, {
            path,
            before: { path, bytes: Buffer.from(texts.before) },
            after: Buffer.from(texts.after),
          });
    return html`<section class="stack" aria-label="What the edit changed">${diff}${edit.forgottenAt === null && (rights.writes || isOwn) && forget}</section>`;
  }

  return [
    page(
      "GET",
      "/:owner/:repo/issues/:index/history",
      readsIssues,
      async ({ visit, repository: access }): Promise<Page> => {
        const subject = await find(visit, access, visit.query.get("comment") ?? "");
        const { row, on } = subject;
        const edits = await listEdits(db, on);
        const asked = readRowId(visit.query.get("edit") ?? "");
        const chosen = asked === null ? edits[0] : edits.find(({ id }) => id === asked);
        if (asked !== null && chosen === undefined) {
          throw new NotFound("version", String(asked));
        }
        const address = issueFormsLink(visit.root, access, row);
        const rows = edits.map(
          (edit) =>
            html`<li><a class="grow line" href="${historyLink(address, on.commentId, edit.id)}"${edit.id === chosen?.id && html` aria-current="true"`}><b>${edit.editor?.name ?? "Ghost"}</b><span class="soft">${ago(visit, edit.createdAt)}</span>${edit.forgottenAt !== null && html`<span class="tag">deleted</span>`}</a></li>`,
        );
        const back = `${issueLink(visit.root, access, row)}${on.commentId === null ? "#issue" : `#issuecomment-${on.commentId}`}`;
        const heading =
          on.commentId === null ? `Edits of the text of #${row.number}` : `Edits of a comment on #${row.number}`;
        return {
          title: `${heading} · ${access.owner.name}/${access.repository.name}`,
          place: { tab: row.isPull ? "pulls" : "issues" },
          body: html`<div class="stack"><h1>${heading}</h1><p class="line flow"><a href="${back}" dir="auto">${row.title}</a>${chosen !== undefined && html`<span class="soft">edited by ${chosen.editor === null ? "Ghost" : userName(visit, chosen.editor)} ${ago(visit, chosen.createdAt)}</span>`}</p>
          ${chosen === undefined ? html`<p class="soft">The text is as it was written.</p>` : html`<div class="columns"><div class="stack">${await changesOf(visit, access, subject, chosen)}</div><aside class="side" aria-label="Edits"><section><h2>Edits</h2><ul class="panel edge rows links">${rows}</ul></section></aside></div>`}</div>`,
        };
      },
    ),
    page(
      "POST",
      "/:owner/:repo/issues/:index/history",
      participatesInIssues,
      async ({ visit, doer, repository: access }) => {
        const { row, on } = await find(visit, access, visit.form.text("comment"));
        const edit = readRowId(visit.form.text("edit")) ?? 0;
        const target = on.commentId === null ? { number: row.number } : { commentId: on.commentId };
        await forge.change(doer, (work) => forgetVersion(work, access, target, edit));
        const address = issueFormsLink(visit.root, access, row);
        return new Redirect(historyLink(address, on.commentId, edit), "The text from before the edit is deleted.");
      },
    ),
  ];
}
