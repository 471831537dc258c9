import { StithyError } from "../../lib/errors.ts";
import { formMessage } from "../errors.ts";
import { html, type Html } from "../html.ts";

/** What a page says of a form that was not carried out. */
export interface Told {
  readonly status: number;
  /** The field that it is about; empty: the form as a whole. */
  readonly field: string;
  /** A sentence. */
  readonly message: string;
}

/** The field of a refusal, by the field of the use case or the reason that the engine has. */
const fields: Readonly<Record<string, string>> = {
  path: "tree_path",
  new_branch: "new_branch",
  "author.email": "email",
  exists: "tree_path",
  "file-directory": "tree_path",
  "branch-exists": "new_branch",
};

/** What to tell of an error; null for a fault of ours. */
export function toldOf(error: unknown): Told | null {
  const known = formMessage(error);
  if (known === null) {
    return null;
  }
  const { field, reason, branch } = error instanceof StithyError ? error.data : {};
  const about = fields[String(field ?? reason)] ?? (branch === undefined ? "" : "new_branch");
  return { status: known.status, field: about, message: `${known.message}.` };
}

/** A refusal of what was typed. */
export function refused(field: string, message: string): Told {
  return { status: 422, field, message };
}

/** The attributes of a field that a message is about. */
export function invalid(told: Told | null, field: string): Html | null {
  return told?.field === field ? html` aria-invalid="true" aria-describedby="${field}-problem" autofocus` : null;
}

/** The message below its field. */
export function problem(told: Told | null, field: string): Html | null {
  return told?.field === field
    ? html`<span class="problem" id="${field}-problem" role="alert">${told.message}</span>`
    : null;
}
