import type { Forge } from "../../domain/spine/forge.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { issueActPages } from "./acts.ts";
import { issueBranchPages } from "./branch.ts";
import { completionPages } from "./complete.ts";
import { issuePage } from "./discussion.ts";
import { issueEditPages } from "./edit.ts";
import { graphPages } from "./graph.ts";
import { historyPages } from "./history.ts";
import { issueInfoPages } from "./info.ts";
import { labelPages } from "./labels.ts";
import { issueListPages } from "./list.ts";
import { milestonePages } from "./milestones.ts";
import { newIssuePages } from "./new.ts";
import { sentFilePages } from "./sent-files.ts";
import { readsIssues } from "./specs.ts";
import { transferPages } from "./transfer.ts";

/** Issues, labels and milestones of a repository. */
export function issuePages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    ...issueListPages(forge, page),
    ...newIssuePages(forge, page),
    ...completionPages(forge, page),
    ...sentFilePages(forge, page),
    page("GET", "/:owner/:repo/issues/:index", readsIssues, ({ visit, doer, repository: access }) =>
      issuePage(forge, visit, doer, access, false),
    ),
    ...issueEditPages(forge, page),
    ...issueActPages(forge, page),
    ...issueBranchPages(forge, page),
    ...historyPages(forge, page),
    ...graphPages(forge, page),
    ...issueInfoPages(forge, page),
    ...transferPages(forge, page),
    ...labelPages(forge, page),
    ...milestonePages(forge, page),
  ];
}
