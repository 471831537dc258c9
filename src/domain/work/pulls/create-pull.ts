import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import type { MergePreview } from "../../../git/operations/preview-merge.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { clip } from "../../../lib/show-value.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { bringObjects, type BroughtObjects } from "../../repos/forks/bring-objects.ts";
import { jointView } from "../../repos/forks/joint-view.ts";
import { findVisibleRepositories } from "../../repos/forks/queries.ts";
import type { Forge } from "../../spine/forge.ts";
import { createIssue, type NewIssue } from "../issues/create-issue.ts";
import type { IssueRow } from "../issues/queries.ts";
import { linkObjectsOf } from "../../git/lfs/queries.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { lockRepositoryRows } from "../../repos/queries.ts";
import type { Work } from "../../spine/work.ts";
import { PullExists } from "./errors.ts";
import { findHead, type Head } from "./find-head.ts";
import { headRef, pullReason } from "./pull-refs.ts";
import { findOpenNumber, findTip, type PullPair } from "./queries.ts";
import { insertPull } from "./write-queries.ts";

export interface NewPull extends Omit<NewIssue, "ref" | "closed" | "asPull"> {
  /** Short name of a branch. */
  base: string;
  /** A branch: `branch`, `owner:branch` or `owner/repo:branch`. */
  head: string;
  /** What else happens in the unit of work that opens it. */
  also?: (work: Work, row: IssueRow) => Promise<void>;
}

/** Most paths that are stored of a conflict. */
export const mostConflicts = 100;

/** A branch that moves while a pull request is made of it is looked at again, so often. */
const attempts = 5;

/** A branch moved between the look at it and the transaction. */
class BranchMoved extends Conflict {}

/**
 * Opens a pull request. What the head needs and the base does not have is copied into a pack of the base: nothing else of a fork gets
 * there. Whether it can be merged is worked out first, so that it is known from the start. Throws NotFound (a branch, a repository that the
 * doer may not read), PullExists, InvalidInput that names the field, Forbidden for details that need write access to pull requests.
 */
export async function createPull(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  asked: NewPull,
): Promise<IssueRow> {
  const { db } = forge.database;
  const head = await findHead(db, doer, access, asked.head);
  const pair: PullPair = {
    baseRepositoryId: access.repository.id,
    baseBranch: asked.base,
    headRepositoryId: head.access.repository.id,
    headBranch: head.branch,
    flow: "branch",
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await againIfRepacked(() => tryCreate(forge, doer, access, { asked, head, pair }));
    } catch (error) {
      if (!(error instanceof BranchMoved) || attempt === attempts) {
        throw error;
      }
    }
  }
}

interface Creation {
  asked: NewPull;
  head: Head;
  pair: PullPair;
}

async function tryCreate(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  { asked, head, pair }: Creation,
): Promise<IssueRow> {
  const { db } = forge.database;
  const { views, engine } = forge.git;
  const [baseOid, headOid] = await Promise.all([
    findTip(db, pair.baseRepositoryId, pair.baseBranch),
    findTip(db, pair.headRepositoryId, pair.headBranch),
  ]);
  if (baseOid === null) {
    throw new NotFound("branch", clip(pair.baseBranch, 80));
  }
  if (headOid === null) {
    throw new NotFound("branch", clip(asked.head, 80));
  }
  const isFork = pair.headRepositoryId !== pair.baseRepositoryId;
  if (!isFork && pair.baseBranch === pair.headBranch) {
    throw new InvalidInput("The head is the base: a pull request is from one branch to another one", "head");
  }
  const number = await findOpenNumber(db, pair);
  if (number !== null) {
    throw new PullExists(pair.baseBranch, asked.head, number);
  }
  const own = await views.current(access.repository);
  const view = isFork ? jointView(own, await views.current(head.access.repository)) : own;
  const preview = await engine.call(view, "previewMerge", {
    base: baseOid,
    head: headOid,
    maxConflicts: mostConflicts,
  });
  checkBetween(preview);
  const write = (brought: BroughtObjects | null) =>
    insert(forge, doer, access, { asked, head, pair, baseOid, headOid, preview, brought });
  if (!isFork) {
    return write(null);
  }
  forge.files.room.demand();
  await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
  const objects = { parent: head.access, view, own: baseOid, theirs: headOid };
  return await write(await bringObjects(forge, access, objects, scratch.path));
}

/** Throws InvalidInput when there is nothing between two branches that could be merged. */
export function checkBetween({ mergeBase, ahead }: MergePreview): void {
  if (mergeBase === null) {
    throw new InvalidInput("The head and the base have no history in common", "head");
  }
  if (ahead === 0) {
    throw new InvalidInput("The head has no commits that the base does not have", "head");
  }
}

interface Insertion extends Creation {
  baseOid: string;
  headOid: string;
  preview: MergePreview;
  /** null: the base has it all. */
  brought: BroughtObjects | null;
}

async function insert(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  { asked, head, pair, baseOid, headOid, preview, brought }: Insertion,
): Promise<IssueRow> {
  const isFork = pair.headRepositoryId !== pair.baseRepositoryId;
  const packs = brought === null || brought.pack === null ? [] : [brought.pack];
  return forge.change(doer, { packs }, async (work) => {
    const { tx } = work;
    // Both rows, so that no push to either is missed: one that comes later finds the pull request.
    await lockRepositoryRows(tx, [pair.baseRepositoryId, pair.headRepositoryId]);
    const mayPush = await demandHead(work, head, isFork);
    const tips = [
      await findTip(tx, pair.baseRepositoryId, pair.baseBranch),
      await findTip(tx, pair.headRepositoryId, pair.headBranch),
    ];
    if (tips[0] !== baseOid || tips[1] !== headOid) {
      throw new BranchMoved("The branches moved while the pull request was made; try again");
    }
    // Nobody opens to others what they may not write to: that the base wishes for it says nothing of the head.
    const allowEdit = isFork && mayPush && access.repository.defaultAllowMaintainerEdit;
    const row = await createIssue(work, access, {
      ...asked,
      ref: "",
      closed: false,
      asPull: ({ id }) => insertPull(tx, id, pair, { baseOid, headOid, preview }, allowEdit ? work.actorId : null),
    });
    await writeHead(work, access, row.number, { oid: headOid, packs, view: brought?.view ?? null });
    if (brought !== null) {
      await linkObjectsOf(tx, pair.headRepositoryId, pair.baseRepositoryId, brought.lfsOids, row.number);
    }
    await asked.also?.(work, row);
    return row;
  });
}

/** Points the ref of a new pull request at its head. `view`: where its objects were looked up, if they are new. */
async function writeHead(
  work: Work,
  access: RepositoryAccess,
  number: number,
  { oid, packs, view }: { oid: string; packs: Parameters<typeof moveRefs>[1]["packs"]; view: RepositoryView | null },
): Promise<void> {
  await moveRefs(work, {
    repository: namedRepository(access),
    changes: [{ name: headRef(number), oldOid: null, newOid: oid, peeled: null }],
    reason: pullReason,
    ...(packs === undefined ? {} : { packs }),
    ...(view === null ? {} : { checkedIn: view }),
  });
}

/** Whether the doer may push to the head. Throws NotFound when they may not read its code any more. */
async function demandHead(work: Work, head: Head, isFork: boolean): Promise<boolean> {
  if (!isFork || work.doer.kind !== "user") {
    return true;
  }
  const { id, name } = head.access.repository;
  const found = (await findVisibleRepositories(work.tx, work.doer, [id])).get(id);
  if (found === undefined || found.units.code < accessModes.read) {
    throw new NotFound("repository of the head", name);
  }
  return found.units.code >= accessModes.write;
}
