import type { RepositoryAccess } from "../../auth/subject.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { PullRow } from "../../domain/work/pulls/queries.ts";
import { html, type Html } from "../html.ts";
import { copyButton } from "../parts/copy.ts";
import type { Visit } from "../visit.ts";

/** A word of a command as a shell reads it. Names of branches may have characters that mean something to it. */
function word(text: string): string {
  return /^[\w./-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** How to try and to merge a pull request on one's own machine. */
export function commandLines(
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  pull: PullRow,
  head: RepositoryAccess | null,
): Html {
  const local = `pr-${issue.number}`;
  const isOwn = head?.repository.id === access.repository.id;
  const commands = (label: string, lines: readonly string[]) =>
    html`<div><div class="line"><span class="grow">${label}</span>${copyButton(visit, lines.join("\n"), { label: "Copy the commands", isSmall: true })}</div><pre><code>${lines.join("\n")}</code></pre></div>`;
  const take = [`git fetch origin pull/${issue.number}/head:${local}`, `git switch ${local}`];
  const bring = [
    ...take,
    `git fetch origin ${word(pull.baseBranch)}`,
    `git merge ${word(`origin/${pull.baseBranch}`)}`,
  ];
  const push = isOwn && pull.flow === "branch" ? [`git push origin ${local}:${word(pull.headBranch)}`] : [];
  return html`<details><summary class="small"><span class="link">On the command line</span></summary><div class="stack s">${commands("Look at it", take)}${commands("Bring the base into it, and resolve conflicts", [...bring, ...push])}</div></details>`;
}
