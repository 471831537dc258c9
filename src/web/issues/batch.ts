import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { changeOneOfMany, type BatchChange } from "../../domain/work/labels/change-many.ts";
import { deleteIssue } from "../../domain/work/issues/delete-issue.ts";
import { findIssueRow } from "../../domain/work/issues/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { formMessage } from "../errors.ts";
import type { Form } from "../form.ts";
import { html } from "../html.ts";
import { note } from "../parts/note.ts";
import { getRowId, readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { askedQuery, formAddress, searchAddress, type Listed } from "./listed.ts";
import { noAnswer, type Answer } from "./list-view.ts";

/** A page has fewer. */
const mostAtOnce = 100;

/** The numbers of the marked issues. Throws InvalidInput. */
function readNumbers(form: Form): number[] {
  const numbers = [...new Set(form.all("number"))].map((text) => {
    const number = readRowId(text);
    if (number === null || number >= 1e9) {
      throw new InvalidInput(`"${clip(text, 80)}" is no number of an issue`, "number");
    }
    return number;
  });
  if (numbers.length === 0) {
    throw new InvalidInput("Nothing is marked: mark the ones that you want to change", "number");
  }
  if (numbers.length > mostAtOnce) {
    throw new InvalidInput(`At most ${mostAtOnce} are changed at once`, "number");
  }
  return numbers;
}

/** Reads what the form asks for. Throws InvalidInput if that is nothing. */
function readChange(form: Form): BatchChange {
  const act = form.text("act");
  if (act === "close" || act === "open") {
    return { closed: act === "close" };
  }
  const [label, milestone, assignee] = [form.text("label"), form.text("milestone"), form.text("assignee")];
  if (label === "" && milestone === "" && assignee === "") {
    throw new InvalidInput("Choose what to change: a label, a milestone or an assignee");
  }
  return {
    ...(label.startsWith("-") ? { removedLabel: getRowId(label.slice(1), "label") } : {}),
    ...(label !== "" && !label.startsWith("-") ? { addedLabel: getRowId(label.replace("+", ""), "label") } : {}),
    ...(milestone === "" ? {} : { milestone: milestone === "none" ? null : getRowId(milestone, "milestone") }),
    ...(assignee === "" ? {} : { assignee: assignee === "none" ? null : assignee.replace("+", "") }),
  };
}

/** Does something to each of these issues by itself. Returns of which it was refused, and why. */
async function doEach(numbers: readonly number[], act: (number: number) => Promise<unknown>): Promise<Answer["batch"]> {
  const refusals: { number: number; message: string }[] = [];
  for (const number of numbers) {
    try {
      await act(number);
    } catch (error) {
      const refused = formMessage(error);
      if (refused === null) {
        throw error;
      }
      refusals.push({ number, message: refused.message });
    }
  }
  return refusals;
}

const counted = (number: number): string => (number === 1 ? "One is" : `${number} are`);

interface Asked {
  readonly visit: Visit;
  readonly doer: UserDoer;
  readonly list: Listed;
  readonly access: RepositoryAccess;
  /** Shows the list again. */
  readonly again: (status: number, answer: Answer) => Promise<Page>;
}

const marked = ({ form }: Visit) => form.all("number").slice(0, mostAtOnce);

/** Changes the marked issues, and tells of which a change was refused. */
export function changeMarked(forge: Forge, { visit, doer, list, access, again }: Asked): Promise<Page | Redirect> {
  return tryForm(
    async () => {
      const [change, numbers] = [readChange(visit.form), readNumbers(visit.form)];
      const batch = await doEach(numbers, (number) =>
        forge.change(doer, (work) => changeOneOfMany(work, access, number, change)),
      );
      return batch.length === 0
        ? new Redirect(searchAddress(list, askedQuery(visit)), `${counted(numbers.length)} changed.`)
        : again(422, { ...noAnswer, batch, marked: batch.map(({ number }) => String(number)) });
    },
    (refused) => again(refused.status, { ...noAnswer, problem: `${refused.message}.`, marked: marked(visit) }),
  );
}

/** Deletes the marked issues, once the visitor has said so on a page that names them. */
export function deleteMarked(forge: Forge, asked: Asked): Promise<Page | Redirect> {
  const { visit, doer, list, access, again } = asked;
  return tryForm(
    async () => {
      const numbers = readNumbers(visit.form);
      if (visit.form.text("confirm") === "") {
        return confirmation(forge, asked, numbers);
      }
      const batch = await doEach(numbers, (number) => forge.change(doer, (work) => deleteIssue(work, access, number)));
      return batch.length === 0
        ? new Redirect(searchAddress(list, askedQuery(visit)), `${counted(numbers.length)} deleted.`)
        : again(422, { ...noAnswer, batch });
    },
    (refused) => again(refused.status, { ...noAnswer, problem: `${refused.message}.`, marked: marked(visit) }),
  );
}

async function confirmation(forge: Forge, { visit, list, access }: Asked, numbers: readonly number[]): Promise<Page> {
  const found = await Promise.all(
    numbers.map((number) => findIssueRow(forge.database.db, access.repository.id, number)),
  );
  const rows = found.filter((row) => row !== null && list.kinds.includes(row.isPull));
  const isPull = list.kinds[0] === true;
  return {
    title: "Delete",
    place: { tab: isPull ? "pulls" : "issues", width: "narrow" },
    body: html`<h1>Delete ${rows.length === 1 ? "this" : `these ${rows.length}`}?</h1>${note(visit, "warn", "They are gone for good, with all comments and files.")}
      <ul class="panel edge rows">${rows.map((row) => row !== null && html`<li><span class="num soft">#${row.number}</span><span class="cut" dir="auto">${row.title}</span></li>`)}</ul>
      <form class="line flow" method="post" action="${formAddress(visit, list, "batch/delete")}">${visit.formField()}${rows.map((row) => row !== null && html`<input type="hidden" name="number" value="${row.number}">`)}<button class="button danger" name="confirm" value="1">Delete ${rows.length === 1 ? "it" : "them"}</button><a class="button" href="${searchAddress(list, askedQuery(visit))}">Cancel</a></form>`,
  };
}
