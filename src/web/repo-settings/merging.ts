import type { RepositoryAccess } from "../../auth/subject.ts";
import { mergeStyles, updateStyles } from "../../db/schema/repositories.ts";
import { defaultMessage, templatePaths, type MergeSubject } from "../../domain/work/merges/merge-message.ts";
import type { MovingStyle } from "../../domain/work/merges/merge-styles.ts";
import { readTemplate } from "../../domain/work/merges/read-template.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { editLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { mayChange } from "../repos/may-change.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import {
  columnField,
  columnNotes,
  freshState,
  readColumns,
  saveColumns,
  seenInput,
  tickField,
  type ColumnField,
  type ColumnState,
} from "./column-form.ts";
import { administers, settingsLink, settingsPage } from "./settings-page.ts";

const styleWords: Readonly<Record<(typeof mergeStyles)[number], string>> = {
  merge: "Merge commit",
  squash: "Squash into one commit",
  rebase: "Rebase, then fast-forward",
  "rebase-merge": "Rebase, then a merge commit",
  "fast-forward-only": "Fast-forward only",
  "manually-merged": "Merged by hand",
  "rebase-update-only": "Only update the branch by rebase",
};

const styles = [
  tickField(
    "allow_merge_commits",
    "allowMergeCommits",
    "Merge commit",
    "All commits stay as they are, and one more joins them.",
  ),
  tickField(
    "allow_squash_merge",
    "allowSquashMerge",
    "Squash into one commit",
    "The base gets one commit with all changes.",
  ),
  tickField(
    "allow_rebase",
    "allowRebase",
    "Rebase, then fast-forward",
    "Each commit is made anew on top of the base; the history is a line.",
  ),
  tickField(
    "allow_rebase_explicit",
    "allowRebaseExplicit",
    "Rebase, then a merge commit",
    "Each commit is made anew on top of the base, and a merge commit joins them.",
  ),
  tickField(
    "allow_fast_forward_only_merge",
    "allowFastForwardOnlyMerge",
    "Fast-forward only",
    "Only if the branch has all of its base; the commits stay as they are.",
  ),
  tickField(
    "allow_manual_merge",
    "allowManualMerge",
    "Merged by hand",
    "Somebody merges with git and names the commit here.",
  ),
  tickField(
    "autodetect_manual_merge",
    "autodetectManualMerge",
    "Notice merges by hand",
    "A pull request whose commits are pushed to its base counts as merged.",
  ),
];
const updates = [
  tickField(
    "allow_rebase_update",
    "allowRebaseUpdate",
    "Update by rebase",
    "A branch behind its base can be brought up to date by a rebase, too.",
  ),
];
const defaults: readonly ColumnField[] = [
  {
    name: "default_merge_style",
    column: "defaultMergeStyle",
    kind: "select",
    label: "Offered first",
    hint: "One of those that are allowed.",
    choices: mergeStyles.map((one) => [one, styleWords[one]] as const),
  },
  {
    name: "default_update_style",
    column: "defaultUpdateStyle",
    kind: "select",
    label: "How a branch is updated",
    hint: null,
    choices: updateStyles.map((one) => [one, one === "merge" ? "By a merge commit" : "By a rebase"] as const),
  },
  tickField(
    "default_delete_branch_after_merge",
    "defaultDeleteBranchAfterMerge",
    "Delete the branch after the merge",
    "Chosen in the form; whoever merges can keep it.",
  ),
  tickField(
    "default_allow_maintainer_edit",
    "defaultAllowMaintainerEdit",
    "Maintainers may push to the branch of a pull request",
    "Chosen in the form of a new pull request from a fork.",
  ),
];
const conflicts = [
  tickField(
    "ignore_whitespace_conflicts",
    "ignoreWhitespaceConflicts",
    "Ignore white space in conflicts",
    "Lines that differ only in spaces do not conflict.",
  ),
];
const fields = [...styles, ...updates, ...defaults, ...conflicts];
const columns = fields.map(({ column }) => column);

function oneOf(form: Form, name: string, list: readonly string[]): void {
  if (!list.includes(form.text(name))) {
    throw new InvalidInput(`${name} must be one of ${list.join(", ")}`, name);
  }
}

function read(form: Form) {
  oneOf(form, "default_merge_style", mergeStyles);
  oneOf(form, "default_update_style", updateStyles);
  return readColumns(form, fields);
}

/** A pull request that previews show. */
const example = ({ owner, repository }: RepositoryAccess, url: string): MergeSubject => ({
  number: 42,
  title: "Add the anvil",
  description: "It is heavy.",
  posterName: "alice",
  base: { ownerName: owner.name, name: repository.name, branch: repository.defaultBranch },
  head: { repository: { ownerName: owner.name, name: repository.name }, isBase: true, branch: "anvil" },
  url,
  approvers: [{ name: "Bob", email: "bob@example.com" }],
  coAuthors: [{ name: "Eve", email: "eve@example.com" }],
  closes: [7],
});

const withTemplates = ["merge", "squash", "rebase-merge", "rebase"] as const satisfies readonly MovingStyle[];

/** The page that says how pull requests are merged. */
export function mergingPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function templates(visit: Visit, access: RepositoryAccess): Promise<Html> {
    const subject = example(
      access,
      forge.addresses.discussion(access.owner.name, access.repository.name, { number: 42, isPull: true }),
    );
    const { defaultBranch } = access.repository;
    const found = await Promise.all(
      withTemplates.map(async (style) => ({ style, file: await readTemplate(forge, access, style) })),
    );
    const rows = found.map(({ style, file }) => {
      const message = defaultMessage(style, subject, file?.text ?? null);
      const [first = ""] = templatePaths(style);
      const where =
        file === null
          ? html`<span class="soft">The server's own words${mayChange(visit, access) && html` · <a href="${editLink(visit.root, access, "_new", defaultBranch)}?${new URLSearchParams({ filename: first }).toString()}">write a template</a>`}</span>`
          : html`<code>${file.path}</code>${mayChange(visit, access) && html` · <a href="${editLink(visit.root, access, "_edit", defaultBranch, file.path)}">edit</a>`}`;
      const text =
        message === null ? "Each commit keeps its own message." : `${message.title}\n\n${message.body}`.trim();
      return html`<li><div class="grow stack s"><div class="split flow"><h3>${styleWords[style]}</h3><div>${where}</div></div><pre dir="auto" tabindex="0">${text}</pre></div></li>`;
    });
    return html`<section class="section"><h2>Messages of merges</h2><p class="soft">What the form of a merge begins with. A template is a file of the default branch, such as <code>${templatePaths("squash")[0]}</code>, with variables such as <code>\${PullRequestTitle}</code>. The examples are of a pull request “Add the anvil”.</p>
      <ul class="panel edge rows">${rows}</ul></section>`;
  }

  async function mergingPage(visit: Visit, access: RepositoryAccess, state: ColumnState): Promise<Page> {
    const { repository, refused, values } = state;
    const all = (list: readonly ColumnField[]) => list.map((spec) => columnField(refused, values, spec));
    return settingsPage(visit, access, "pulls", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Merging",
      about: "How changes come into a branch.",
      body: html`${columnNotes(visit, state, fields)}
        <form class="form" method="post" action="${settingsLink(visit.root, access, "pulls")}">${visit.formField()}${seenInput(repository, columns)}
        <fieldset><legend>Ways to merge</legend>${all(styles)}</fieldset>
        <fieldset><legend>What forms begin with</legend>${all(defaults)}</fieldset>
        <fieldset><legend>Branches</legend>${all(updates)}${all(conflicts)}</fieldset>
        <button class="button main">Save</button></form>${await templates(visit, access)}`,
    });
  }

  return [
    page("GET", "/:owner/:repo/settings/pulls", administers, ({ visit, repository }) =>
      mergingPage(visit, repository, freshState(repository.repository, fields)),
    ),
    page("POST", "/:owner/:repo/settings/pulls", { ...administers, longForm: true }, (given) =>
      saveColumns(
        forge,
        given,
        fields,
        read,
        (state) => mergingPage(given.visit, given.repository, state),
        () => new Redirect(settingsLink(given.visit.root, given.repository, "pulls"), "The ways to merge are saved"),
      ),
    ),
  ];
}
