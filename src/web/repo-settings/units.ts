import type { RepositoryAccess } from "../../auth/subject.ts";
import type { RepositoryPatch } from "../../domain/repos/edit-repository.ts";
import { outsideTracker, outsideWiki, ownTracker } from "../../domain/repos/outside-addresses.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
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
  type Values,
} from "./column-form.ts";
import { administers, settingsLink, settingsPage } from "./settings-page.ts";

const code = [tickField("has_code", "hasCode", "Code", "Files, branches, tags and commits, by git and on pages.")];
const issues = [
  tickField("has_issues", "hasIssues", "Issues", "A list of what is to be done, here or at an address elsewhere."),
];
const ownIssues = [
  tickField("enable_time_tracker", "enableTimeTracker", "Times", "People note how long they worked on an issue."),
  tickField(
    "allow_only_contributors_to_track_time",
    "allowOnlyContributorsToTrackTime",
    "Times of people with write access only",
    "Others see the times and note none.",
  ),
  tickField(
    "enable_issue_dependencies",
    "enableIssueDependencies",
    "Dependencies",
    "An issue can wait for others, and is not closed before them.",
  ),
];
const outsideIssues: readonly ColumnField[] = [
  {
    name: "external_tracker_url",
    column: "externalTrackerUrl",
    kind: "text",
    label: "Address of the tracker",
    hint: "The tab of issues leads there.",
    longest: 1024,
  },
  {
    name: "external_tracker_format",
    column: "externalTrackerFormat",
    kind: "text",
    label: "Address of an issue",
    hint: "With {user}, {repo} and {index} in it. References in commits and comments lead there; empty: they lead nowhere.",
    longest: 1024,
    isMono: true,
  },
  {
    name: "external_tracker_style",
    column: "externalTrackerStyle",
    kind: "select",
    label: "What a reference looks like",
    hint: null,
    choices: [
      ["numeric", "#123"],
      ["alphanumeric", "ABC-123"],
      ["regexp", "As the pattern says"],
    ],
  },
  {
    name: "external_tracker_regexp_pattern",
    column: "externalTrackerPattern",
    kind: "text",
    label: "Pattern of a reference",
    hint: "A regular expression. Its first group is the index.",
    longest: 255,
    isMono: true,
  },
];
const wiki = [
  tickField("has_wiki", "hasWiki", "Wiki", "Pages that people write together, here or at an address elsewhere."),
];
const ownWiki = [
  tickField(
    "globally_editable_wiki",
    "globallyEditableWiki",
    "Everybody may write the wiki",
    "Everybody who is signed in and sees it, not only people with write access.",
  ),
];
const outsideWikiFields: readonly ColumnField[] = [
  {
    name: "external_wiki_url",
    column: "externalWikiUrl",
    kind: "text",
    label: "Address of the wiki",
    hint: "The tab of the wiki leads there. What is in the wiki here stays, and nobody sees it.",
    longest: 1024,
  },
];
const others = [
  tickField("has_pull_requests", "hasPullRequests", "Pull requests", "Changes that are offered, discussed and merged."),
  tickField("has_releases", "hasReleases", "Releases", "Versions with notes and files."),
  tickField(
    "has_packages",
    "hasPackages",
    "Packages",
    "Shows the packages of the owner that are linked to the repository.",
  ),
];

const switches = [...code, ...issues, ...ownIssues, ...wiki, ...ownWiki, ...others];
const fields = [...switches, ...outsideIssues, ...outsideWikiFields];
const columns = fields.map(({ column }) => column);

function read(form: Form): RepositoryPatch {
  const tracker =
    form.text("tracker") === "external"
      ? outsideTracker({
          url: form.text("external_tracker_url").trim(),
          format: form.text("external_tracker_format").trim(),
          style: form.text("external_tracker_style"),
          pattern: form.text("external_tracker_regexp_pattern"),
        })
      : ownTracker;
  const elsewhere =
    form.text("wiki") === "external" ? outsideWiki(form.text("external_wiki_url").trim()) : { externalWikiUrl: null };
  return { ...readColumns(form, switches), ...tracker, ...elsewhere };
}

/** Two ways, of which the one that is chosen has fields of its own. */
function ways(
  values: Values,
  name: string,
  chosen: string,
  list: readonly (readonly [value: string, words: string, inside: Html])[],
): Html {
  const now = values(name) === "" ? chosen : values(name);
  return html`<div class="ways-of">${list.map(([value, words, inside]) => html`<label class="choice"><input type="radio" name="${name}" value="${value}"${value === now && html` checked`}> ${words}</label><div class="inside">${inside}</div>`)}</div>`;
}

function unitsPage(visit: Visit, access: RepositoryAccess, state: ColumnState): Page {
  const { repository, refused, values } = state;
  const all = (list: readonly ColumnField[]) => list.map((spec) => columnField(refused, values, spec));
  return settingsPage(visit, access, "units", {
    ...(refused === null ? {} : { status: refused.status }),
    title: "Units",
    about: "The parts of the repository. One that is off has no tab and answers nobody; what is in it stays.",
    body: html`${columnNotes(visit, state, fields)}
      <form class="form units" method="post" action="${settingsLink(visit.root, access, "units")}">${visit.formField()}${seenInput(repository, columns)}
      <fieldset><legend>Code</legend>${all(code)}</fieldset>
      <fieldset><legend>Issues</legend>${all(issues)}${ways(
        values,
        "tracker",
        repository.externalTrackerUrl === null ? "internal" : "external",
        [
          ["internal", "Here", html`${all(ownIssues)}`],
          ["external", "Elsewhere", html`${all(outsideIssues)}`],
        ],
      )}</fieldset>
      <fieldset><legend>Wiki</legend>${all(wiki)}${ways(
        values,
        "wiki",
        repository.externalWikiUrl === null ? "internal" : "external",
        [
          ["internal", "Here", html`${all(ownWiki)}`],
          ["external", "Elsewhere", html`${all(outsideWikiFields)}`],
        ],
      )}</fieldset>
      <fieldset><legend>More</legend>${all(others)}</fieldset>
      <p class="hint">How pull requests are merged is said under <a href="${settingsLink(visit.root, access, "pulls")}">Merging</a>. This server has no project boards, and runs no actions.</p>
      <button class="button main">Save</button></form>`,
  });
}

/** The page that says which parts a repository has. */
export function unitPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/settings/units", administers, ({ visit, repository }) =>
      unitsPage(visit, repository, freshState(repository.repository, fields)),
    ),
    page("POST", "/:owner/:repo/settings/units", { ...administers, longForm: true }, (given) =>
      saveColumns(
        forge,
        given,
        fields,
        read,
        (state) => unitsPage(given.visit, given.repository, state),
        () => new Redirect(settingsLink(given.visit.root, given.repository, "units"), "The units are saved"),
      ),
    ),
  ];
}
