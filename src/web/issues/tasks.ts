import type { RepositoryAccess } from "../../auth/subject.ts";
import { lockOwnEntry, editComment } from "../../domain/work/comments/write-comment.ts";
import { editIssue, getLockedIssue } from "../../domain/work/issues/edit-issue.ts";
import { findTasks, setTask } from "../../domain/work/issues/tasks.ts";
import { Conflict } from "../../domain/spine/errors.ts";
import type { Work } from "../../domain/spine/work.ts";
import type { Form } from "../form.ts";
import { html, trusted, type Html } from "../html.ts";
import { readRowId } from "../read-row-id.ts";
import type { Visit } from "../visit.ts";

/** A box of a task as the sanitizer writes it. */
const box = /<input type="checkbox"( checked)? disabled aria-label="[^"]*" \/>/g;
const longestLabel = 120;

/** What a task says: the markup behind its box, without tags, to the end of its line. */
function labelOf(behind: string): string {
  const [line = ""] = behind.slice(0, 1000).split(/\n|<\/li>|<[ou]l>/, 1);
  return line
    .replaceAll(/<[^>]*>?/g, "")
    .replaceAll('"', "&quot;")
    .trim()
    .slice(0, longestLabel);
}

/** A text that one may change, as it is rendered: the boxes of its tasks are buttons of a form. `commentId` null: of the issue itself. */
export function withTasks(
  visit: Visit,
  address: string,
  { text, markup, version, commentId }: { text: string; markup: Html; version: number; commentId: number | null },
): Html {
  const count = [...markup.text.matchAll(box)].length;
  // Where raw HTML has boxes of its own, nobody knows which is which.
  if (count === 0 || count !== findTasks(text).length) {
    return markup;
  }
  let index = 0;
  const ticks = markup.text.replaceAll(box, (whole: string, checked: string | undefined, at: number) => {
    const isDone = checked !== undefined;
    const label = labelOf(markup.text.slice(at + whole.length)) || "Task";
    return `<button class="tick" name="task" value="${index++}:${isDone ? 0 : 1}" role="checkbox" aria-checked="${isDone}" aria-label="${label}"></button>`;
  });
  return html`<form method="post" action="${address}/task">${visit.formField()}<input type="hidden" name="version" value="${version}">${commentId !== null && html`<input type="hidden" name="comment" value="${commentId}">`}${trusted(ticks)}</form>`;
}

/** Ticks a task, or takes the tick away, if the text is the one that was read. Returns the place of it on the page. Throws Conflict if it is not. */
export async function tick(work: Work, access: RepositoryAccess, number: number, form: Form): Promise<string> {
  const [, digits = "", done] = /^(\d{1,6}):([01])$/.exec(form.text("task")) ?? [];
  const commentId = readRowId(form.text("comment"));
  const { body, contentVersion } =
    commentId === null
      ? await getLockedIssue(work, access, number)
      : (await lockOwnEntry(work, access, commentId)).comment;
  const changed = digits === "" ? null : setTask(body, Number(digits), done === "1");
  if (changed === null || form.text("version") !== String(contentVersion)) {
    throw new Conflict(
      "The text was changed since you read it, and is shown as it is now. The task is not ticked: tick it again",
    );
  }
  if (commentId === null) {
    await editIssue(work, access, number, { body: changed, contentVersion });
    return "#issue";
  }
  await editComment(work, access, commentId, { body: changed, writtenAt: null, contentVersion });
  return `#issuecomment-${commentId}`;
}
