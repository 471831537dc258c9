import { createHash } from "node:crypto";
import { viewerOf } from "../../../auth/viewer-of.ts";
import { mayRefer } from "../../../git/objects/may-refer.ts";
import type { ReferringCommit } from "../../../git/operations/referring-commits.ts";
import { referencedIssues, type ReferencedIssue } from "./referenced-issues.ts";
import { inTurns } from "../../../lib/turns.ts";
import { newJob } from "../../../queue/enqueue.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import { viewerOfDoer, type Doer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { MovedRef, NamedRepository } from "../../spine/events/names.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { carryOut, type Request } from "./carry-out.ts";
import { findPushedTo, insertReferences, readText, whoeverReads } from "./queries.ts";
import { findTargets } from "./record-references.ts";

type CommitsRequest = Extract<JobPayload<"references">, { about: "commits" }>;

const branchPrefix = "refs/heads/";

/** More branches of one push than this are a mirror at work: of the others no commit is read. */
const maxBranches = 20;
/** Only the newest commits of a push are read: a push of years of history must not close all its issues again. */
const maxCommits = 1000;
/** Different issues that all commits of a push may name, and entries that it makes. */
const maxIssues = 200;
const maxEntries = 500;
const longestTitle = 255;

/**
 * Subscriber: enqueues reading the messages of commits that a branch got, with the permission of the user who moved it.
 */
export async function followCommits(work: Work, event: Event): Promise<void> {
  if (event.kind === "pull.merged") {
    const { repository, issue } = event;
    // The server finds out who merged by a push, and notes it in their name.
    const pusherId = work.doer.kind === "server" ? work.actorId : null;
    if (
      (work.doer.kind === "user" || pusherId !== null) &&
      mayRefer.test((await readText(work.tx, issue.id, null)) ?? "")
    ) {
      const pull = { about: "pull", repositoryId: repository.id, issueId: issue.id, pusherId } as const;
      await work.enqueue(newJob("references", pull));
    }
  }
  if (event.kind !== "refs.moved" || (work.doer.kind !== "user" && work.doer.kind !== "deploy-key")) {
    return;
  }
  const moves = event.refs.flatMap(movedBranch).slice(0, maxBranches);
  if (moves.length > 0 && event.namesNothing !== true) {
    const job = newJob("references", { about: "commits", repositoryId: event.repository.id, moves });
    await (work.doer.kind === "user" ? work.enqueue(job) : work.enqueueForServer(byDeployKey, job));
  }
}

/** A deploy key is nobody, and may do nothing with issues: its commits are shown, and close none. */
const byDeployKey = "push with a deploy key";

function movedBranch({ name, oldOid, newOid }: MovedRef): CommitsRequest["moves"] {
  return name.startsWith(branchPrefix) && newOid !== null
    ? [{ branch: name.slice(branchPrefix.length), old: oldOid, new: newOid }]
    : [];
}

/** Whether a name is of the repository itself: what the commits of a deploy key name is looked for nowhere else. */
function isOf(repository: NamedRepository, { place }: ReferencedIssue): boolean {
  const name = place === null ? null : `${place.owner}/${place.repository}`.toLowerCase();
  return name === null || name === `${repository.owner.name}/${repository.name}`.toLowerCase();
}

interface ReadCommit extends ReferringCommit {
  references: readonly ReferencedIssue[];
  isOnDefault: boolean;
}

/**
 * Reads the messages of the commits that branches got: writes into the timelines of the issues that they name, and does what those on the default
 * branch ask for, with the rights that the doer has by now.
 */
export async function followMoves(
  forge: Forge,
  doer: Doer,
  { repositoryId, moves }: CommitsRequest,
  signal: AbortSignal,
): Promise<void> {
  const found = await findPushedTo(forge.database.db, repositoryId);
  if (found === null || found.repository.empty) {
    return;
  }
  const commits = await readCommits(forge, found.repository, moves, signal);
  if (commits.length === 0) {
    return;
  }
  const repository = namedRepository(found);
  const requests = await forge.change(doer, (work) => writeEntries(work, repository, commits));
  if (doer.kind === "user") {
    await carryOut(forge, doer, requests, signal);
  }
}

/** Each commit once, the oldest first; only those whose messages name something. */
async function readCommits(
  { git, addresses }: Forge,
  repository: Parameters<typeof git.revisions.listWithView>[0] & { defaultBranch: string },
  moves: CommitsRequest["moves"],
  signal: AbortSignal,
): Promise<ReadCommit[]> {
  const { refs, view } = await git.revisions.listWithView(repository);
  const tips = [...new Set(refs.map(({ oid }) => oid))];
  const base = refs.find(({ name }) => name === branchPrefix + repository.defaultBranch)?.oid ?? null;
  const results = await git.engine.call(
    view,
    "referringCommits",
    { moves: moves.map(({ old, new: tip }) => ({ old, new: tip })), tips, base, limit: maxCommits },
    signal,
  );
  const commits = new Map<string, ReadCommit>();
  for (const [index, { branch }] of moves.entries()) {
    for await (const commit of inTurns((results[index] ?? []).toReversed())) {
      const isOnDefault = branch === repository.defaultBranch || commits.get(commit.oid)?.isOnDefault === true;
      const references = referencedIssues(commit.message, addresses.own.base);
      if (references.length > 0) {
        commits.set(commit.oid, { ...commit, references, isOnDefault });
      }
    }
  }
  return [...commits.values()];
}

/** Writes the entries of commits, and returns what those on the default branch ask for, in their order. */
async function writeEntries(
  work: Work,
  repository: NamedRepository,
  commits: readonly ReadCommit[],
): Promise<Request[]> {
  const names = new Map<string, ReferencedIssue>();
  // The newest commits are those that count, where there are too many.
  for (const one of commits.toReversed().flatMap((commit) => commit.references)) {
    if (names.size < maxIssues) {
      names.set(nameOf(one), { ...one, action: null });
    }
  }
  const isUser = work.doer.kind === "user";
  const reader = isUser ? viewerOf(viewerOfDoer(work.doer)) : whoeverReads;
  const wanted = [...names.values()].filter((one) => isUser || isOf(repository, one));
  const found = await findTargets(work.tx, reader, repository, wanted);
  const targets = new Map(found.map(({ reference, target }) => [nameOf(reference), target]));
  const entries = commits
    .flatMap((commit) =>
      commit.references.map((reference) => ({ commit, reference, target: targets.get(nameOf(reference)) })),
    )
    .flatMap(({ commit, reference, target }) =>
      target === undefined
        ? []
        : [{ commit, target, refKey: keyOf(commit), action: target.issue.isPull ? null : reference.action }],
    )
    .slice(-maxEntries);
  const rows = entries.map(({ commit, target, refKey, action }) => ({
    repositoryId: target.access.repository.id,
    issueId: target.issue.id,
    kind: "commit_ref" as const,
    authorId: work.actorId,
    body: titleOf(commit.message),
    otherRepositoryId: repository.id,
    commitOid: Buffer.from(commit.oid, "hex"),
    refAction: action,
    refKey,
  }));
  // A commit that names an issue by its number and by its address names it once.
  await insertReferences(work.tx, [...new Map(rows.map((row) => [`${row.issueId} ${row.refKey}`, row])).values()]);
  return entries.flatMap(({ commit, target, refKey, action }) =>
    commit.isOnDefault && action !== null ? [{ target, action, refKey }] : [],
  );
}

/** References of the same name are looked up once. */
function nameOf({ place, sign, number }: ReferencedIssue): string {
  return JSON.stringify([place, sign, number]);
}

function titleOf(message: string): string {
  return (message.trim().split("\n")[0] ?? "").slice(0, longestTitle).toWellFormed();
}

/** Returns a key that a commit keeps in a rebase, which keeps its author, their time and the message. */
function keyOf({ author, message }: ReferringCommit): string {
  const { name, email, seconds, offsetMinutes } = author;
  const what = JSON.stringify([name, email, seconds, offsetMinutes, message.trim()]);
  return `commit ${createHash("sha256").update(what).digest("hex")}`;
}
