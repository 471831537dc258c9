import type { CommitFiles, CommitOptions } from "../../domain/git/contents/commit-files.ts";
import { addTrailers } from "../../domain/git/contents/commit-message.ts";
import { commitEdit, type EditCommitted } from "../../domain/work/edits/commit-edit.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { compareLink, sourceLink } from "../links.ts";
import { note } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Editing } from "./editing.ts";
import { invalid, problem, refused, toldOf, type Told } from "./told.ts";

const longestSummary = 500;
const mostCoAuthors = 20;
const coAuthor = /^[^<>\p{Cc}]{1,100} <[^\s<>\p{Cc}]{1,254}>$/u;

/** Whether the form asks for a new branch. There is no choice where only one of the two is allowed. */
function isToNewBranch({ plan, visit }: Editing): boolean {
  return plan.to === "fork" || plan.to === "new-branch" || (plan.to === "branch" && visit.form.text("to") === "new");
}

function choice(value: string, label: Html, isChosen: boolean): Html {
  return html`<label class="choice"><input type="radio" name="to" value="${value}"${isChosen && html` checked`}><span>${label}</span></label>`;
}

function destination(editing: Editing, told: Told | null): Html {
  const { plan, visit, branch, access, doer, newBranch, revision } = editing;
  const { form } = visit;
  if (plan.to === "same-branch" || revision === null) {
    return html`<p>The commit goes to <span class="ref">${branch}</span>.</p>`;
  }
  const isNew = isToNewBranch(editing);
  const name = form.text("new_branch") || newBranch;
  const proposes = form.text("to") === "" || form.text("propose") !== "";
  const fields = html`<div class="stack s new-branch"><label class="field" for="new_branch">Name of the new branch<input id="new_branch" name="new_branch" class="mono" value="${name}" maxlength="100" autocomplete="off" spellcheck="false"${invalid(told, "new_branch")}></label>${problem(told, "new_branch")}
    <label class="choice"><input type="checkbox" name="propose" value="1"${proposes && html` checked`}><span>Start a pull request</span></label></div>`;
  if (plan.to === "fork") {
    return html`<input type="hidden" name="to" value="new">${note(visit, "info", html`${plan.why} The commit goes to a new branch of your fork, <b>${doer.actor.name}/${access.repository.name}</b>, which is made if there is none.`)}${fields}`;
  }
  if (plan.to === "new-branch") {
    return html`<input type="hidden" name="to" value="new">${note(visit, "info", html`${plan.why} The commit goes to a new branch.`)}${fields}`;
  }
  return html`<fieldset class="stack s"><legend>Where</legend>${choice("branch", html`Commit to <span class="ref">${branch}</span>`, !isNew)}${choice("new", html`Commit to a new branch`, isNew)}${fields}</fieldset>`;
}

/** How much may be added, where a quota limits it. */
function roomNote({ visit, room }: Editing): Html | null {
  if (room === Infinity) {
    return null;
  }
  return room === 0
    ? note(visit, "warn", "The quota is used up: a commit that adds files or lines is refused.")
    : html`<p class="hint">The quota has room for ${fileSize(room)} more.</p>`;
}

/** The part of a form that says how its commit is to look. `action`: the words of its button; `usual`: the summary where none is typed. */
export function commitPanel(
  editing: Editing,
  { action, usual, told }: { action: string; usual: string; told: Told | null },
): Html {
  const { visit, identities } = editing;
  const { form } = visit;
  const emails = identities.map(
    ({ email }) => html`<option${email === form.text("email") && html` selected`}>${email}</option>`,
  );
  const isOpen = ["signoff", "co_authors"].some((name) => form.text(name) !== "") || told?.field === "co_authors";
  return html`<section class="panel edge commit-panel" aria-labelledby="commit-title"><header><h2 id="commit-title">Commit</h2></header><div class="body stack">
    <div class="stack s"><label class="field" for="summary">Summary<input id="summary" name="summary" value="${form.text("summary")}" placeholder="${usual}" maxlength="${longestSummary}" autocomplete="off" dir="auto"${invalid(told, "summary")}></label>${problem(told, "summary")}</div>
    <label class="field">Description<textarea name="description" rows="3" dir="auto">
${form.text("description")}</textarea></label>
    ${destination(editing, told)}${roomNote(editing)}
    <details${isOpen && html` open`}><summary class="soft">Author, sign-off and co-authors</summary><div class="stack">
    <label class="field">Address of the author<select name="email"${invalid(told, "email")}>${emails}</select></label>${problem(told, "email")}
    <label class="choice"><input type="checkbox" name="signoff" value="1"${form.text("signoff") !== "" && html` checked`}><span>Sign off: add <code>Signed-off-by</code> at the end of the message</span></label>
    <div class="stack s"><label class="field">Co-authors<textarea name="co_authors" rows="2" placeholder="Name &lt;address@example.com&gt;" spellcheck="false"${invalid(told, "co_authors")}>
${form.text("co_authors")}</textarea><small>One in a line</small></label>${problem(told, "co_authors")}</div>
    </div></details>
    <div class="line flow"><button class="button main">${action}</button><a class="button" href="${backLink(editing)}">Cancel</a></div>
  </div></section>`;
}

/** The page that the form was reached from. */
function backLink({ visit, access, branch, path }: Editing): string {
  return sourceLink(visit.root, access, { kind: "branch", name: branch }, path);
}

class Refused extends Error {
  constructor(readonly told: Told) {
    super(told.message);
  }
}

/** Ends a form that cannot be carried out, with a message at a field of it. */
export function refuse(field: string, message: string): never {
  throw new Refused(refused(field, message));
}

function messageOf({ visit: { form } }: Editing): string {
  const summary = form.text("summary").trim();
  const description = form.lines("description").trim();
  if (summary.length > longestSummary) {
    refuse("summary", `A summary has at most ${longestSummary} characters.`);
  }
  if (summary === "" && description !== "") {
    refuse("summary", "A message with a description has a summary, too.");
  }
  return description === "" ? summary : `${summary}\n\n${description}`;
}

function coAuthorsOf({ visit: { form } }: Editing): string[] {
  const lines = form
    .text("co_authors")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length > mostCoAuthors) {
    refuse("co_authors", `A commit has at most ${mostCoAuthors} co-authors here.`);
  }
  const bad = lines.find((line) => !coAuthor.test(line));
  if (bad !== undefined) {
    refuse(
      "co_authors",
      `"${bad.slice(0, 100)}" is not a name and an address, such as Ada Lovelace <ada@example.com>.`,
    );
  }
  return lines.map((line) => `Co-authored-by: ${line}`);
}

function optionsOf(editing: Editing, usual: string): CommitOptions {
  const { visit, branch, identities, revision } = editing;
  const { form } = visit;
  const email = form.text("email");
  const author = email === "" ? identities[0] : identities.find((identity) => identity.email === email);
  if (author === undefined) {
    refuse("email", "The address is none of your confirmed ones.");
  }
  const isNew = revision !== null && isToNewBranch(editing);
  const newBranch = form.text("new_branch").trim();
  if (isNew && newBranch === "") {
    refuse("new_branch", "The new branch needs a name.");
  }
  return {
    branch,
    newBranch: isNew ? newBranch : undefined,
    message: addTrailers(messageOf(editing) || usual, coAuthorsOf(editing)),
    author,
    signoff: form.text("signoff") !== "",
  };
}

/** What a form is to commit. */
export interface Sending extends Pick<CommitFiles, "changes"> {
  /** The summary where none is typed. */
  readonly usual: string;
  /** Where to go then: a path that the commit has. */
  readonly path: string;
}

/** Commits what a form says. Returns where to go then, and says what was done. Throws what commitEdit throws. */
async function send(forge: Forge, editing: Editing, sending: Sending): Promise<Redirect> {
  const { doer, access, plan } = editing;
  const options = optionsOf(editing, sending.usual);
  const inFork = plan.to === "fork";
  return leave(
    editing,
    await commitEdit(forge, doer, { repository: access, changes: sending.changes, options, inFork }),
    sending.path,
  );
}

/** Where a commit leads: to the file, or to the pull request that it is for. */
export function leave(editing: Editing, made: EditCommitted, path: string): Redirect {
  const { visit, access, branch, doer } = editing;
  const isElsewhere = made.access !== access;
  if (made.branch !== branch || isElsewhere) {
    if (visit.form.text("propose") !== "") {
      const head = isElsewhere ? `${doer.actor.name}:${made.branch}` : made.branch;
      return new Redirect(compareLink(visit.root, access, branch, head), `Committed to "${made.branch}".`);
    }
  }
  const address = sourceLink(visit.root, made.access, { kind: "branch", name: made.branch }, path);
  return new Redirect(address, `Committed ${made.commit.slice(0, 10)} to "${made.branch}".`);
}

/**
 * Carries a form out, or shows its page again: `plan` returns what to commit, or a page if something has to be looked at first.
 * `show` makes the page with what it tells.
 */
export async function carryOut(
  forge: Forge,
  editing: Editing,
  plan: () => Promise<Sending | Page | Redirect>,
  show: (told: Told) => Page | Promise<Page>,
): Promise<Page | Redirect> {
  try {
    if (editing.plan.to === null) {
      return await show({ status: 403, field: "", message: editing.plan.why ?? "" });
    }
    const next = await plan();
    return next instanceof Redirect || !("usual" in next) ? next : await send(forge, editing, next);
  } catch (error) {
    const told = error instanceof Refused ? error.told : toldOf(error);
    if (told === null) {
      throw error;
    }
    return show(told);
  }
}

/** What a page tells above its form: the message that belongs to no field. */
export function tellAll({ visit }: Editing, told: Told | null): Html | null {
  return told === null || told.field !== "" ? null : note(visit, "bad", told.message);
}
