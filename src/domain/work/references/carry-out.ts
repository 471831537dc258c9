import { demandTo } from "../../spine/guard.ts";
import { permitOnFound } from "../../spine/permit.ts";
import { viewerOf } from "../../../auth/viewer-of.ts";
import type { ReferenceAction } from "./referenced-issues.ts";
import { StithyError, type ErrorKind } from "../../../lib/errors.ts";
import { viewerOfDoer, type UserDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { editIssue } from "../issues/edit-issue.ts";
import { findReferables, takeReference, type Referable } from "./queries.ts";

/** The action of a reference on an issue. */
export interface Request {
  target: Referable;
  action: ReferenceAction;
  /** Its entry in the timeline. */
  refKey: string;
}

/** So many issues are closed and reopened by one push or merge. */
const most = 100;

/** Why somebody may not close an issue, or why it cannot be closed: then it stays as it is. */
const refusals: ReadonlySet<ErrorKind> = new Set(["unauthenticated", "forbidden", "absent", "conflict", "invalid"]);

/**
 * Closes and reopens issues as references ask, in order, each in its own unit of work. The doer must be the issue's
 * author or may write to the issues of its repository. A reference is carried out once: if somebody reopens the issue,
 * the next push of the same commits does not close it again.
 */
export async function carryOut(
  forge: Forge,
  doer: UserDoer,
  requests: readonly Request[],
  signal: AbortSignal,
): Promise<void> {
  for (const request of requests.slice(-most)) {
    signal.throwIfAborted();
    try {
      await carryOutOne(forge, doer, request);
    } catch (error) {
      if (!(error instanceof StithyError) || !refusals.has(error.kind)) {
        throw error;
      }
      const { issue, access } = request.target;
      forge.log.debug(
        { repository: access.repository.id, issue: issue.number, doer: doer.actor.id, reason: error.message },
        "A reference did not close or reopen an issue",
      );
    }
  }
}

async function carryOutOne(forge: Forge, doer: UserDoer, { target, action, refKey }: Request): Promise<void> {
  const { repository, owner } = target.access;
  const { number } = target.issue;
  const demand = demandTo({ on: "repository", do: "participate", unit: "issues" }, "write", [], { signedIn: true });
  await forge.change({ ...doer, permit: permitOnFound(demand, target.access) }, async (work) => {
    const name = { owner: owner.name, repository: repository.name, number };
    const [found] = await findReferables(work.tx, viewerOf(viewerOfDoer(work.doer)), [name]);
    if (found?.issue.id === target.issue.id && (await takeReference(work.tx, found.issue.id, refKey))) {
      await editIssue(work, found.access, number, { closed: action === "closes" });
    }
  });
}
