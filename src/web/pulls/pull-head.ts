import type { RepositoryAccess } from "../../auth/subject.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { tabs } from "../parts/tabs.ts";
import type { Visit } from "../visit.ts";
import type { LoadedPull } from "./load-pull.ts";

export type PullTab = "conversation" | "commits" | "files";

/** The sides of a pull request, and how much it changes. */
export function pullTabs(
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  { pull }: LoadedPull,
  tab: PullTab,
): Html {
  const address = issueLink(visit.root, access, issue);
  const list = [
    { key: "conversation", name: "Conversation", href: address, count: issue.comments },
    { key: "commits", name: "Commits", href: `${address}/commits`, count: pull.commitCount },
    { key: "files", name: "Files", href: `${address}/files`, count: pull.changedFiles },
  ];
  return html`<div class="pull-tabs">${tabs("Pull request", list, tab)}${lineCounts(pull.additions, pull.deletions)}</div>`;
}
