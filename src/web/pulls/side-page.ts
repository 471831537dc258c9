import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { html, type Html } from "../html.ts";
import { readNumber } from "../issues/discussion.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { loadPull, type LoadedPull } from "./load-pull.ts";
import { pullHeader, type PullTab } from "./pull-head.ts";

/** Each of these compares commits, so what holds for comparisons holds for them. */
export const readsChanges = { may: { on: "repository", do: "read", unit: "code-of-pulls" }, past: true } as const;

/** Finds the pull request of an address. Throws NotFound, also for those who may not read the code. */
export async function getPull(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
): Promise<{ issue: IssueRow; loaded: LoadedPull }> {
  const issue = await getIssueRow(forge, access, readNumber(visit));
  const loaded = issue.isPull ? await loadPull(forge, visit, access, issue) : null;
  if (loaded === null) {
    throw new NotFound("pull request", visit.params["index"] ?? "");
  }
  return { issue, loaded };
}

/** A side of a pull request: its commits, or its files. */
export function sidePage(
  visit: Visit,
  access: RepositoryAccess,
  { issue, loaded }: { issue: IssueRow; loaded: LoadedPull },
  tab: PullTab,
  content: Html,
): Page {
  return {
    title: `${issue.title} · #${issue.number} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "pulls", width: "wide" },
    body: html`${pullHeader(visit, access, issue, loaded, tab)}${content}`,
  };
}
