import { accessModes } from "../../db/schema/owners.ts";
import type { StatusState } from "../../db/schema/statuses.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { findCombinedStates } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { listPullDetails, type PullDetails } from "../../domain/work/pulls/detail-queries.ts";
import { findVerdicts, type Verdict } from "../../domain/work/reviews/decision-queries.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { checkMark } from "../parts/check-mark.ts";
import { icon } from "../parts/icon.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { counted } from "../parts/size.ts";

/** What a list shows of a pull request beside its issue. */
export interface PullFacts {
  readonly details: PullDetails;
  readonly checks: StatusState | undefined;
  readonly verdict: Verdict | undefined;
}

/** The facts of those of these issues that are pull requests and whose code the visitor may read, by the ids of the issues. */
export async function loadPullFacts(
  forge: Forge,
  rows: readonly IssueRow[],
  homes: ReadonlyMap<number, RepositoryAccess>,
): Promise<Map<number, PullFacts>> {
  const { db } = forge.database;
  const readable = rows.filter(
    ({ isPull, repositoryId }) => isPull && (homes.get(repositoryId)?.units.code ?? 0) >= accessModes.read,
  );
  const ids = readable.map(({ id }) => id);
  const [details, verdicts] = await Promise.all([listPullDetails(db, ids), findVerdicts(db, ids)]);
  const byHome = Map.groupBy(details.values(), ({ baseRepositoryId }) => baseRepositoryId);
  const states = await Promise.all(
    Array.from(byHome, async ([repositoryId, list]) => {
      const oids = list.map(({ headOid }) => headOid);
      return [repositoryId, await findCombinedStates(db, repositoryId, oids)] as const;
    }),
  );
  const stateOf = new Map(states);
  return new Map(
    Array.from(details, ([id, one]) => [
      id,
      { details: one, checks: stateOf.get(one.baseRepositoryId)?.get(one.headOid), verdict: verdicts.get(id) },
    ]),
  );
}

const fact = (colour: string, words: Html) => html`<span><span class="line ${colour}">${words}</span></span>`;

function verdictOf(reader: Reader, verdict: Verdict | undefined): Html | null {
  if (verdict === undefined) {
    return null;
  }
  const { approvals, wantsChanges, isAwaited } = verdict;
  if (wantsChanges) {
    return fact("red", html`${icon(reader, "triangle-alert")}changes asked for`);
  }
  if (approvals > 0) {
    return fact("green", html`${icon(reader, "check")}${approvals === 1 ? "approved" : `${approvals} approvals`}`);
  }
  return isAwaited ? fact("amber", html`${icon(reader, "eye")}review awaited`) : null;
}

/** The state of the review, the checks, a conflict and the size of a pull request. */
export function pullFacts(reader: Reader, isOpen: boolean, { details, checks, verdict }: PullFacts): Html {
  const { mergeability, additions, deletions, changedFiles } = details;
  const files = counted(changedFiles, "file");
  return html`${verdictOf(reader, verdict)}${isOpen && mergeability === "conflict" && fact("red", html`${icon(reader, "circle-alert")}conflicts`)}${checks !== undefined && html`<span>${checkMark(reader, checks)}</span>`}<span>${lineCounts(additions, deletions)} in ${files}</span>`;
}
