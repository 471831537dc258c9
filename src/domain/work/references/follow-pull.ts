import { viewerOf } from "../../../auth/viewer-of.ts";
import { referencedIssues } from "./referenced-issues.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import { viewerOfDoer, type Doer, type UserDoer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { carryOut } from "./carry-out.ts";
import { findPushedTo, insertReferences, readText } from "./queries.ts";
import { findTargets } from "./record-references.ts";

type PullRequest = Extract<JobPayload<"references">, { about: "pull" }>;

/**
 * Carries out the references in the title and text of a merged pull request, with the present permission of the user
 * who merged it.
 */
export async function followPull(
  forge: Forge,
  asked: Doer,
  { repositoryId, issueId, pusherId }: PullRequest,
  signal: AbortSignal,
): Promise<void> {
  const { db } = forge.database;
  const doer = pusherId === null ? asked : await findPusher(forge, pusherId);
  const [base, text] = await Promise.all([findPushedTo(db, repositoryId), readText(db, issueId, null)]);
  if (base === null || text === null || doer?.kind !== "user") {
    return;
  }
  const refKey = `issue ${issueId}`;
  const references = referencedIssues(text, forge.addresses.own.base).filter(({ action }) => action !== null);
  const requests = await forge.change(doer, async (work) => {
    const found = await findTargets(work.tx, viewerOf(viewerOfDoer(work.doer)), namedRepository(base), references);
    const issues = found.filter(({ target }) => !target.issue.isPull);
    // The author may not have been allowed to refer to what those who merge may close.
    await insertReferences(
      work.tx,
      issues.map(({ reference, target }) => ({
        repositoryId: target.access.repository.id,
        issueId: target.issue.id,
        kind: "pull_ref" as const,
        authorId: work.actorId,
        otherIssueId: issueId,
        refAction: reference.action,
        refKey,
      })),
    );
    return issues.flatMap(({ reference: { action }, target }) => (action === null ? [] : [{ target, action, refKey }]));
  });
  await carryOut(forge, doer, requests, signal);
}

/** Returns the pusher with the permission of their account; null if it is gone. */
async function findPusher({ identity }: Forge, userId: number): Promise<UserDoer | null> {
  const { actor } = await identity.findSubject({ userId }, {});
  return actor === null ? null : { kind: "user", actor, credential: { kind: "none" }, permit: null };
}
