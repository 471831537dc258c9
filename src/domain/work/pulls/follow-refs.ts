import { newJob } from "../../../queue/enqueue.ts";
import type { Event } from "../../spine/events.ts";
import type { MovedRef } from "../../spine/events/names.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import type { Work } from "../../spine/work.ts";
import { headRef, pullReason } from "./pull-refs.ts";
import {
  closeIssues,
  hasPulls,
  hasStale,
  listConcerned,
  moveBases,
  renameBranchOfPulls,
  setTips,
  type Concerned,
  type Tip,
} from "./write-queries.ts";

const branchPrefix = "refs/heads/";
const reason = "refresh pull requests";

/** Has the stale pull requests of a repository worked out. */
export async function requestRefresh(work: Work, repositoryId: number): Promise<void> {
  await work.enqueueForServer(reason, newJob("pulls", { repositoryId }, { key: String(repositoryId) }));
}

/** Subscriber: pull requests go with the branches that they are from and for. Those that are from a repository which is deleted are closed. */
export async function followRefs(work: Work, event: Event): Promise<void> {
  if (event.kind === "repository.heads-lost") {
    return closeAll(work, await listConcerned(work.tx, event.issueIds));
  }
  if (event.kind !== "refs.moved") {
    return;
  }
  const branches = event.refs.filter(({ name }) => name.startsWith(branchPrefix));
  const { tx } = work;
  const repositoryId = event.repository.id;
  if (branches.length === 0 || !(await hasPulls(tx, repositoryId))) {
    return;
  }
  const renamed = event.reason === "rename branch" ? branches : [];
  const [from, to] = [renamed.find(({ newOid }) => newOid === null), renamed.find(({ oldOid }) => oldOid === null)];
  if (from !== undefined && to !== undefined) {
    await renameBranchOfPulls(tx, repositoryId, nameOf(from), nameOf(to));
    return;
  }
  const tips = branches.map((ref): Tip => ({ branch: nameOf(ref), oid: ref.newOid }));
  const tipOf = new Map(tips.map(({ branch, oid }) => [branch, oid]));
  const concerned = await moveBases(tx, repositoryId, tips);
  const isFrom = ({ pull }: Concerned) =>
    pull.headRepositoryId === repositoryId && pull.flow === "branch" && tipOf.has(pull.headBranch);
  const isClosed = (one: Concerned) =>
    isFrom(one) ? tipOf.get(one.pull.headBranch) === null : tipOf.get(one.pull.baseBranch) === null;
  await closeAll(work, concerned.filter(isClosed));
  const deleted = concerned.filter((one) => isFrom(one) && isClosed(one));
  for (const { repository, issue, pull } of deleted) {
    work.tell({ kind: "pull.head-deleted", repository, issue, branch: pull.headBranch });
  }
  const moved = concerned.filter((one) => isFrom(one) && !isClosed(one));
  const own = moved.filter(({ pull }) => pull.baseRepositoryId === repositoryId);
  await moveHeads(work, own, tipOf);
  // The objects of a fork are brought by a job: until then the head is what it was.
  const elsewhere = moved.filter(({ pull }) => pull.baseRepositoryId !== repositoryId);
  for (const { pull } of elsewhere) {
    await setTips(tx, pull.issueId, {});
  }
  for (const id of new Set(elsewhere.map(({ pull }) => pull.baseRepositoryId))) {
    await requestRefresh(work, id);
  }
  if (await hasStale(tx, repositoryId)) {
    await requestRefresh(work, repositoryId);
  }
}

const nameOf = ({ name }: MovedRef) => name.slice(branchPrefix.length);

async function closeAll(work: Work, pulls: readonly Concerned[]): Promise<void> {
  if (pulls.length > 0) {
    const ids = pulls.map(({ issue }) => issue.id);
    await closeIssues(work.tx, ids, work.actorId);
    for (const { repository, issue } of pulls) {
      work.tell({ kind: "issue.closed", repository, issue });
    }
  }
}

/** Moves the refs of pull requests whose head is in their base repository: the objects are there. */
async function moveHeads(
  work: Work,
  pulls: readonly Concerned[],
  tipOf: ReadonlyMap<string, string | null>,
): Promise<void> {
  const [first] = pulls;
  if (first === undefined) {
    return;
  }
  const changes = pulls.flatMap(({ pull, issue }) => {
    const newOid = tipOf.get(pull.headBranch) ?? pull.headOid;
    return newOid === pull.headOid ? [] : [{ name: headRef(issue.number), oldOid: pull.headOid, newOid, peeled: null }];
  });
  await moveRefs(work, { repository: first.repository, changes, reason: pullReason });
  for (const { pull, issue, repository } of pulls) {
    const newHead = tipOf.get(pull.headBranch) ?? pull.headOid;
    if (newHead !== pull.headOid) {
      await setTips(work.tx, pull.issueId, { headOid: newHead });
      work.tell({ kind: "pull.synchronized", repository, issue, oldHead: pull.headOid, newHead });
    }
  }
}
