import type { RepositoryAccess } from "../../auth/subject.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { tabs } from "../parts/tabs.ts";
import type { Visit } from "../visit.ts";
import type { LoadedPull } from "./load-pull.ts";

export type PullTab = "conversation" | "commits" | "files" | "checks";

/** The sides of a pull request, and how much it changes. */
export function pullTabs(
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  { pull, checks }: LoadedPull,
  tab: PullTab,
): Html {
  const address = issueLink(visit.root, access, issue);
  const list = [
    { key: "conversation", name: "Conversation", href: address, count: issue.comments },
    { key: "commits", name: "Commits", href: `${address}/commits`, count: pull.commitCount },
    { key: "files", name: "Files", href: `${address}/files`, count: pull.changedFiles },
    { key: "checks", name: "Checks", href: `${address}/checks`, count: checks.total },
  ];
  return html`<div class="pull-tabs">${tabs("Pull request", list, tab)}${lineCounts(pull.additions, pull.deletions)}</div>`;
}

/** The title of a pull request above one of its sides. */
export function pullHeader(
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  loaded: LoadedPull,
  tab: PullTab,
): Html {
  return html`<header class="title"><h1><a class="plain" href="${issueLink(visit.root, access, issue)}"><span dir="auto">${issue.title}</span> <span class="count">#${issue.number}</span></a></h1></header>${pullTabs(visit, access, issue, loaded, tab)}`;
}
