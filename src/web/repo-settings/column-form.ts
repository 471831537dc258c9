import type { RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import { EditedMeanwhile, editRepository, type RepositoryPatch } from "../../domain/repos/edit-repository.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { getRepository } from "../../domain/repos/queries.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import type { Page, Redirect } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";

/** The text of a field by its name; "1" for a ticked box. */
export type Values = (name: string) => string;

type Column = keyof RepositoryPatch & keyof RepositoryRow;

/** A control for one column of a repository, which has the name that the API has for it. */
export interface ColumnField {
  readonly name: string;
  readonly column: Column;
  readonly kind: "text" | "check" | "select";
  readonly label: string;
  readonly hint: HtmlValue;
  /** Of a text: how long it may be. */
  readonly longest?: number;
  readonly isMono?: boolean;
  readonly isRequired?: boolean;
  readonly choices?: readonly (readonly [value: string, words: string])[];
}

/** A box for a column that is on or off. */
export function tickField(name: string, column: Column, label: string, hint: string): ColumnField {
  return { name, column, kind: "check", label, hint };
}

/** The values that a repository has now. */
export function valuesOf(repository: RepositoryRow, fields: readonly ColumnField[]): Values {
  const byName = new Map(
    fields.map(({ name, column, kind }) => {
      const value = repository[column];
      return [name, kind === "check" ? (value === true ? "1" : "") : String(value ?? "")];
    }),
  );
  return (name) => byName.get(name) ?? "";
}

/** Reads the columns of a form. */
export function readColumns(form: Form, fields: readonly ColumnField[]): RepositoryPatch {
  return Object.fromEntries(
    fields.map(({ name, column, kind }) => [
      column,
      kind === "check" ? form.text(name) !== "" : form.text(name).trim(),
    ]),
  ) as RepositoryPatch;
}

function control(
  { kind, choices = [], longest, isMono = false, isRequired = false }: ColumnField,
  value: string,
  attributes: Html,
): Html {
  return kind === "select"
    ? html`<select ${attributes}>${choices.map(([key, words]) => html`<option value="${key}"${key === value && html` selected`}>${words}</option>`)}</select>`
    : html`<input type="text" ${attributes} value="${value}"${isMono ? html` class="mono" autocapitalize="none" spellcheck="false"` : html` dir="auto"`} autocomplete="off"${longest !== undefined && html` maxlength="${longest}"`}${isRequired && html` required`}>`;
}

export function columnField(refused: Refusal | null, values: Values, spec: ColumnField): Html {
  const { name, kind, label, hint } = spec;
  return kind === "check"
    ? tick(values, name, label, hint)
    : field(refused, { name, label, hint }, (attributes) => control(spec, values(name), attributes));
}

/** A box with what it means. */
export function tick(values: Values, name: string, label: string, hint: HtmlValue = null): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="1"${values(name) !== "" && html` checked`}> ${label}${hint !== null && html`<small>${hint}</small>`}</label>`;
}

const seenField = "seen";

/** Carries the values that a form was shown with, so that what others change meanwhile is not written over. */
export function seenInput(repository: RepositoryRow, columns: readonly Column[]): Html {
  const seen = Object.fromEntries(columns.map((column) => [column, repository[column]]));
  return html`<input type="hidden" name="${seenField}" value="${JSON.stringify(seen)}">`;
}

function readSeen(form: Form): RepositoryPatch {
  try {
    const seen: unknown = JSON.parse(form.text(seenField));
    return typeof seen === "object" && seen !== null ? seen : {};
  } catch {
    return {};
  }
}

/** What a form of columns is shown with. */
export interface ColumnState {
  /** The row that the form is about, as it is now. */
  readonly repository: RepositoryRow;
  readonly values: Values;
  readonly refused: Refusal | null;
  /** What somebody else changed meanwhile. */
  readonly moved: string | null;
}

export function freshState(repository: RepositoryRow, fields: readonly ColumnField[]): ColumnState {
  return { repository, values: valuesOf(repository, fields), refused: null, moved: null };
}

/**
 * Writes those of the typed columns that differ from what the form was shown with, and shows the form again if that is refused, or if somebody
 * else changed them meanwhile.
 */
export async function saveColumns(
  forge: Forge,
  { visit, doer, repository: access }: { visit: Visit; doer: UserDoer; repository: RepositoryAccess },
  fields: readonly ColumnField[],
  read: (form: Form) => RepositoryPatch,
  again: (state: ColumnState) => Page | Promise<Page>,
  done: (saved: RepositoryRow) => Redirect,
): Promise<Page | Redirect> {
  const { form } = visit;
  const values: Values = (name) => form.text(name);
  const current = () => getRepository(forge.database.db, access.repository.id);
  return tryForm(
    async () => {
      const typed = read(form);
      const seen = readSeen(form);
      const patch = Object.fromEntries(
        Object.entries(typed).filter(([column, value]) => seen[column as Column] !== value),
      ) as RepositoryPatch;
      try {
        return done(
          Object.keys(patch).length === 0
            ? access.repository
            : await forge.change(doer, (work) => editRepository(work, access, patch, seen)),
        );
      } catch (error) {
        if (!(error instanceof EditedMeanwhile)) {
          throw error;
        }
        const repository = await current();
        const moved = sayMoved(
          repository,
          fields.filter(({ column }) => error.columns.includes(column)),
        );
        return { ...(await again({ repository, values, refused: null, moved })), status: 409 };
      }
    },
    async (refused) => again({ repository: await current(), values, refused, moved: null }),
  );
}

/** Says what is there now of the fields that somebody else changed. */
function sayMoved(repository: RepositoryRow, moved: readonly ColumnField[]): string {
  const items = moved.map(({ label, column }) => {
    const value = repository[column];
    const words = typeof value === "boolean" ? (value ? "on" : "off") : String(value ?? "");
    return `${label} is now ${words === "" ? "empty" : `“${words}”`}`;
  });
  return `Somebody else changed the same meanwhile, and nothing of yours is saved yet. ${items.join("; ")}. Below is what you typed: save once more to write over it.`;
}

/** What stands above a form of columns that was refused. */
export function columnNotes(visit: Visit, { refused, moved }: ColumnState, fields: readonly ColumnField[]): Html {
  const names = fields.filter(({ kind }) => kind !== "check").map(({ name }) => name);
  return html`${note(visit, "warn", moved)}${note(visit, "bad", problemAbove(refused, names))}`;
}
