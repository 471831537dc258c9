import { existsSync } from "node:fs";
import type { FindSubject } from "../../auth/find-subject.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Config } from "../../config/config.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { describeError, findOvertaken, findPostgresError } from "../../db/pg-errors.ts";
import { discardPack } from "../../git/pack/staged-pack.ts";
import { whileUnknownBlob } from "../git/blobs/queries.ts";
import type { Addresses } from "../spine/addresses.ts";
import type { Doer } from "../spine/doer.ts";
import { Overtaken } from "../spine/errors.ts";
import type { Event } from "../spine/events.ts";
import { renameRepositories } from "./rename-repositories.ts";
import type { DiskRoom } from "./forge/disk-room.ts";
import type { Logger } from "../../lib/log.ts";
import { noteFull } from "../../lib/files.ts";
import { lookAgain } from "./look-again.ts";
import { jobDoerOf } from "../spine/job-doer.ts";
import { enqueue, type NewJob } from "../../queue/enqueue.ts";
import type { JobDoer } from "../../queue/job-kind.ts";
import type { QueuePulse } from "../../queue/queue-pulse.ts";
import type { LiveSubject } from "../spine/live-subject.ts";
import type { LiveHub } from "./live/live-hub.ts";
import type { OutboxBell } from "./outbox/outbox-bell.ts";
import { insertEvents } from "./outbox/insert-events.ts";
import { whileUnnamed } from "../git/packs/queries.ts";
import { Facts, FactsNeeded } from "../git/protections/facts.ts";
import type { FindFacts } from "./forge/find-facts.ts";
import { subscribers } from "./subscribers.ts";
import type { Change, StagedFiles, Work } from "../spine/work.ts";
import { lockRepository } from "../spine/lock-queries.ts";

interface Parts {
  db: Database;
  findSubject: FindSubject;
  config: Config;
  /** null if nothing stages blobs, as in most commands. */
  blobs: BlobStore | null;
  /** null for commands, which may make room. */
  room: DiskRoom | null;
  /** null for commands, which no rule binds. */
  findFacts: FindFacts | null;
  /** null for commands. */
  addresses: Addresses | null;
  /** null for commands: the server takes what they tell when it looks the next time. */
  bell: OutboxBell | null;
  /** null for commands: open pages show what they change when they are loaded again. */
  live: LiveHub | null;
  /** null for commands: the server looks for jobs every ten seconds. */
  pulse: QueuePulse | null;
  log: Logger;
}

/**
 * How often a unit of work runs when the database ends it because of a deadlock, or rules have to know more. When what it
 * refers to was deleted meanwhile (a foreign key), it runs once more.
 */
const attempts = 5;

/** How PostgreSQL says that its disk is full. */
const diskFull = "53100";

/** The longest chain of events told by subscribers. A longer one is a cycle. */
const deepest = 8;

/** An event, and how many subscribers lie between it and the use case. */
interface Told {
  event: Event;
  depth: number;
}

/** Builds `forge.change`. `Change` in `work.ts` documents it. */
export function prepareChange(parts: Parts): Change {
  async function change<Result>(
    doer: Doer,
    ...rest: [(work: Work) => Promise<Result>] | [StagedFiles, (work: Work) => Promise<Result>]
  ): Promise<Result> {
    const [files, run] = rest.length === 1 ? [{}, rest[0]] : rest;
    // Housekeeping goes on when the disk is full: it makes room.
    if (doer.kind !== "server") {
      parts.room?.demand();
    }
    let facts = new Facts();
    for (let attempt = 1; ; attempt++) {
      try {
        const { result, hasNews, hasJobs, refreshed } = await parts.db.transaction((tx) =>
          runUnit(parts, tx, doer, facts, run),
        );
        if (hasNews) {
          parts.bell?.ring();
        }
        if (hasJobs) {
          parts.pulse?.ring();
        }
        parts.live?.tell(refreshed);
        return result;
      } catch (error) {
        if (error instanceof FactsNeeded && parts.findFacts !== null && attempt < attempts && !hasPublished(files)) {
          facts = facts.with(await parts.findFacts(error, files.packs ?? []));
          continue;
        }
        const code = findPostgresError(error)?.code;
        if (code === diskFull) {
          noteFull();
        }
        // If the thing was deleted meanwhile, the second look at the doer's permission reports it as absent.
        const mayHelp = code === "40P01" || (code === "23503" && attempt === 1);
        // Published files have moved to their place; only work that published none runs again.
        if (!mayHelp || attempt === attempts || hasPublished(files)) {
          await removePublished(parts, files);
          const overtaken = findOvertaken(error);
          if (overtaken === null) {
            throw error;
          }
          // The caller is told to try again; the database's message names both transactions.
          parts.log.warn({ doer: doer.kind, ...describeError(error) }, "A change was overtaken by another one");
          throw new Overtaken(overtaken, error);
        }
      }
    }
  }
  return change;
}

async function runUnit<Result>(
  { findSubject, config, addresses }: Parts,
  tx: Transaction,
  doer: Doer,
  facts: Facts,
  run: (work: Work) => Promise<Result>,
): Promise<{ result: Result; hasNews: boolean; hasJobs: boolean; refreshed: ReadonlySet<LiveSubject> }> {
  const told: Told[] = [];
  const refreshed = new Set<LiveSubject>();
  let [depth, hasJobs] = [0, false];
  const enqueueFor = async (jobDoer: JobDoer, job: NewJob) => {
    await enqueue(tx, jobDoer, job);
    hasJobs = true;
  };
  const lockedId = repositoryToLock(doer);
  if (lockedId !== null) {
    await lockRepository(tx, lockedId);
  }
  let found = await lookAgain(findSubject, tx, doer);
  const seen = found.doer;
  const work: Work = {
    tx,
    doer: seen,
    actorId: seen.kind === "user" || seen.kind === "server" ? (seen.actor?.id ?? null) : null,
    config,
    serverUrl: addresses?.base ?? null,
    // The facts that it records are of this run.
    facts: facts.with([]),
    enqueue: (job) => enqueueFor(jobDoerOf(seen), job),
    enqueueForServer: (reason, job) => enqueueFor({ kind: "server", reason }, job),
    tell: (event) => void told.push({ event, depth }),
    refresh: (subject) => void refreshed.add(subject),
    demand: async (may) => void (await lookAgain(findSubject, tx, doer, may)),
    lookAgainLocked: async (repositoryId) => {
      if (repositoryId !== lockedId) {
        found = await lookAgain(findSubject, tx, doer);
      }
    },
  };
  const result = await run(work);
  await renameRepositories(tx, told, found);
  // Subscribers may tell more, which is heard after what was told before.
  for (const one of told) {
    depth = one.depth + 1;
    if (depth > deepest) {
      throw new Error(`Subscribers tell each other in a circle: ${one.event.kind}`);
    }
    for (const hear of subscribers) {
      await hear(work, one.event);
    }
  }
  const hasNews = await insertEvents(
    tx,
    seen,
    told.map(({ event }) => event),
  );
  return { result, hasNews, hasJobs, refreshed };
}

/**
 * The repository whose code or wiki the doer was allowed to write to. Moving its refs or adding files locks its row
 * anyway. If the row is locked before the look at the doer, one look is enough, and it finds rows that this transaction
 * has not changed.
 */
function repositoryToLock(doer: Doer): number | null {
  const permit = doer.kind === "user" || doer.kind === "deploy-key" ? doer.permit : null;
  const may = permit?.demand.may;
  return may?.on === "repository" && may.do === "write" && (may.unit === "code" || may.unit === "wiki")
    ? (permit?.target.repositoryId ?? null)
    : null;
}

function hasPublished({ packs = [], blobs = [] }: StagedFiles): boolean {
  return packs.some(({ path }) => !existsSync(path)) || blobs.some(({ published }) => published);
}

/**
 * Removes what the work had published and no row names. Where that fails, too, as when the database is gone, the files
 * are left to the collectors.
 */
async function removePublished({ db, blobs: store }: Parts, { packs = [], blobs = [] }: StagedFiles): Promise<void> {
  // Publishing takes a pack's files from where they were staged.
  for (const pack of packs.filter(({ path }) => !existsSync(path))) {
    await whileUnnamed(db, pack.checksum, () => discardPack(pack.finalPath)).catch(() => {});
  }
  for (const { sha256 } of blobs.filter(({ published }) => published)) {
    await whileUnknownBlob(db, sha256, async () => store?.remove(sha256)).catch(() => {});
  }
}
