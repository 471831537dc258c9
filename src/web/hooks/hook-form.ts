import { hookContentTypes, type HookKind } from "../../db/schema/hooks.ts";
import type { HookInput } from "../../domain/exchange/hooks/edit-hook.ts";
import { hookEventTypes } from "../../domain/exchange/hooks/hook-events.ts";
import type { HookRow } from "../../domain/exchange/hooks/queries.ts";
import type { HookEventType } from "../../domain/spine/events/hook-types.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { field } from "../parts/field.ts";

const eventWords: Readonly<Record<HookEventType, string>> = {
  create: "A branch or tag is made",
  delete: "A branch or tag is deleted",
  fork: "The repository is forked",
  push: "Commits are pushed",
  issues: "Issues are opened, closed, edited",
  issue_assign: "Issues are assigned",
  issue_label: "Labels of issues change",
  issue_milestone: "Milestones of issues change",
  issue_comment: "Comments on issues",
  pull_request: "Pull requests are opened, closed, edited, merged",
  pull_request_assign: "Pull requests are assigned",
  pull_request_label: "Labels of pull requests change",
  pull_request_milestone: "Milestones of pull requests change",
  pull_request_comment: "Comments on pull requests",
  pull_request_review_approved: "Reviews that approve",
  pull_request_review_rejected: "Reviews that ask for changes",
  pull_request_review_comment: "Reviews that comment",
  pull_request_sync: "Commits are pushed to pull requests",
  pull_request_review_request: "Reviews are asked for",
  wiki: "Pages of the wiki change",
  repository: "Repositories are made and deleted",
  release: "Releases",
  package: "Packages are published and deleted",
  status: "Status checks of commits",
};

/** The further fields of some kinds, by the names of the API. */
const optionWords = {
  channel: ["Channel", "Empty: the one that the address is for."],
  username: ["Name of the sender", null],
  icon_url: ["Address of the sender's picture", null],
  color: ["Colour", "Such as #1f5fd0, or good, warning, danger."],
  package_url: ["Address of the package", "Such as https://packagist.org/packages/vendor/name."],
} as const;
type Option = keyof typeof optionWords;

const optionsOf: Readonly<Partial<Record<HookKind, readonly Option[]>>> = {
  slack: ["channel", "username", "icon_url", "color"],
  discord: ["username", "icon_url"],
  packagist: ["package_url"],
};

/** Kinds that get the payload as it is, and choose how it is written. */
const plainKinds: ReadonlySet<HookKind> = new Set(["forgejo", "gitea", "gogs"]);

/** Fields that tell themselves what is wrong with them. */
export const hookFieldNames = [
  "config.url",
  "config.content_type",
  "config.secret",
  "authorization_header",
  "branch_filter",
  ...Object.keys(optionWords).map((name) => `config.${name}`),
];

/** Reads a webhook. A secret or header that is left empty stays, unless it is to be removed. */
export function readHook(form: Form, kind: HookKind): HookInput {
  const secret = form.text("config.secret");
  const header = form.text("authorization_header");
  const options = (optionsOf[kind] ?? []).map((name) => [name, form.text(`config.${name}`).trim()] as const);
  return {
    config: {
      ...Object.fromEntries(options),
      url: form.text("config.url").trim(),
      content_type: plainKinds.has(kind) ? form.text("config.content_type") : "json",
      ...(form.has("no_secret") ? { secret: "" } : secret === "" ? {} : { secret }),
    },
    events: form.all("events"),
    branchFilter: form.text("branch_filter").trim(),
    active: form.has("active"),
    authorization: form.has("no_header") ? "" : header === "" ? undefined : header,
  };
}

/** What a form is shown with: a webhook as it is, or what was typed. */
export interface HookValues {
  readonly text: (name: string) => string;
  readonly events: ReadonlySet<string>;
  readonly active: boolean;
}

export function valuesOfHook(row: HookRow | null): HookValues {
  const texts: Readonly<Record<string, string>> = {
    "config.url": row?.url ?? "",
    "config.content_type": row?.contentType ?? "json",
    branch_filter: row?.branchFilter ?? "",
    ...Object.fromEntries(Object.entries(row?.options ?? {}).map(([name, value]) => [`config.${name}`, value])),
  };
  return { text: (name) => texts[name] ?? "", events: new Set(row?.events ?? ["push"]), active: row?.active ?? true };
}

/** What is secret is not sent back. */
const isSecret = (name: string) => name === "config.secret" || name === "authorization_header";

export function typedHook(form: Form): HookValues {
  return {
    text: (name) => (isSecret(name) ? "" : form.text(name)),
    events: new Set(form.all("events")),
    active: form.has("active"),
  };
}

/** The fields of a webhook; `row` null: a new one. */
export function hookFields(kind: HookKind, row: HookRow | null, values: HookValues, refused: Refusal | null): Html {
  const text = (name: string, label: string, hint: string | null, more: Html = html``) =>
    field(
      refused,
      { name, label, hint },
      (attributes) =>
        html`<input type="text" ${attributes} value="${values.text(name)}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2000" ${more}>`,
    );
  const secret = (name: string, remove: string, label: string, has: boolean, hint: string) =>
    html`${field(
      refused,
      { name, label, hint: has ? `${hint} There is one, which nobody is shown. Empty: it stays.` : hint },
      (attributes) => html`<input type="password" ${attributes} autocomplete="new-password" maxlength="2000">`,
    )}${has && html`<label class="choice"><input type="checkbox" name="${remove}" value="1"> Remove it</label>`}`;
  const types = hookContentTypes.map(
    (one) =>
      html`<option value="${one}"${one === values.text("config.content_type") && html` selected`}>${one === "json" ? "JSON" : "A form with the JSON in a field"}</option>`,
  );
  const events = hookEventTypes.map(
    (type) =>
      html`<label class="choice"><input type="checkbox" name="events" value="${type}"${values.events.has(type) && html` checked`}> <span>${eventWords[type]} <code class="faint small">${type}</code></span></label>`,
  );
  return html`${text("config.url", "Address", "Where it is sent to, with http or https.", html`required`)}
    ${plainKinds.has(kind) && field(refused, { name: "config.content_type", label: "Written as" }, (attributes) => html`<select ${attributes}>${types}</select>`)}
    ${(optionsOf[kind] ?? []).map((name) => text(`config.${name}`, optionWords[name][0], optionWords[name][1]))}
    ${secret("config.secret", "no_secret", "Secret", row?.secret != null, "It signs what is sent, so that the receiver knows that it is from here.")}
    ${secret("authorization_header", "no_header", "Header Authorization", row?.authorization != null, "Such as Bearer and a token of the receiver.")}
    ${text("branch_filter", "Branches", "A pattern, such as {main,release/*}; empty: all. It counts for pushes and for branches that are made or deleted.")}
    <fieldset><legend>What it is told of</legend>${events}<p class="hint">None: pushes.</p></fieldset>
    <label class="choice"><input type="checkbox" name="active" value="1"${values.active && html` checked`}> Active<small>One that is not active is told of nothing.</small></label>`;
}
