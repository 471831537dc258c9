import { accessSync, constants } from "node:fs";
import { describeError } from "../../db/pg-errors.ts";
import type { GitEngine } from "../../git/engine.ts";
import { StorageReadOnly } from "./forge/disk-room.ts";
import { messageOf } from "../../lib/errors.ts";
import { isFull } from "../../lib/files.ts";
import { findClaimableWait } from "../../queue/claim.ts";
import { workers } from "../../queue/job-runner.ts";
import { countJobs, findLongestWait } from "../../queue/queries.ts";
import { actAsServer } from "../../lib/request-context.ts";
import type { Forge } from "../spine/forge.ts";
import { countFailedPayloads } from "../exchange/hooks/making-queries.ts";

interface Check {
  /** "warn": it works, and an administrator should look at it */
  status: "pass" | "warn" | "fail";
  output?: string;
  /** How long the job that should have begun first has waited. */
  observedValue?: number;
  observedUnit?: "s";
}

export interface Health {
  status: "pass" | "warn" | "fail";
  checks: Record<string, Check>;
}

/** A repository without objects, to ask a worker about. */
const nothing = { key: "health:0", format: "sha1", packs: [] } as const;

/** Resolves when a worker of the engine responds. */
export async function pingGit(git: GitEngine): Promise<void> {
  // Not as the caller, whose used-up share says nothing about the server.
  await actAsServer(() => git.call(nothing, "resolveObject", { name: "0000" }));
}

/** A check fails after this time, so that the health endpoint always responds. */
const patienceMs = 3000;

/**
 * Anybody may ask. What exactly is wrong is for the log, and commands are named without the places of this server
 * (`commandText`).
 */
async function check(forge: Forge, patienceMs: number, name: string, run: () => unknown): Promise<Check> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`There was no answer within ${patienceMs} ms`)), patienceMs);
  try {
    await Promise.race([late, run()]);
    return { status: "pass" };
  } catch (error) {
    forge.log.warn({ check: name, ...describeError(error) }, "A health check failed");
    if (error instanceof StorageReadOnly || isFull(error)) {
      return { status: "fail", output: messageOf(new StorageReadOnly()) };
    }
    return { status: "fail", output: `The ${name} did not answer as it should; the server's log says why` };
  } finally {
    clearTimeout(timer);
  }
}

/** A damaged pack affects single repositories, so it is a warning: the server stays in service. */
function checkPacks({ git }: Forge): Check {
  const { count } = git.engine.damaged;
  return count === 0
    ? { status: "pass" }
    : {
        status: "warn",
        output: `${count} stored packs are damaged; the server's log and "stithy doctor" name them`,
      };
}

/** A damaged file hurts those who ask for it. */
function checkBlobs({ files }: Forge): Check {
  const { damaged } = files.contents;
  return damaged === 0
    ? { status: "pass" }
    : {
        status: "warn",
        output: `${damaged} stored files are damaged; the server's log and "stithy doctor" name them`,
      };
}

const longWaitSeconds = 3600;
/** A job that may begin begins at once. */
const stillSeconds = 60;

/** Seconds that a job has waited that may begin, while none began or ended; 0: the queue moves, or has nothing to do. */
async function findStandstill({ database, pulse }: Forge): Promise<number> {
  const mayMove = pulse.running < workers && pulse.restMs > stillSeconds * 1000;
  const seconds = mayMove ? await findClaimableWait(database.db, pulse.kinds) : 0;
  return seconds > stillSeconds ? Math.round(seconds) : 0;
}

/** A job that failed for good concerns only those who wait for it. */
async function checkJobs(forge: Forge, patienceMs: number): Promise<Check> {
  let [dead, untold, oldestSeconds, stillFor] = [0, 0, 0, 0];
  const reached = await check(forge, patienceMs, "job queue", async () => {
    ({ dead } = await countJobs(forge.database.db));
    untold = await countFailedPayloads(forge.database.db);
    oldestSeconds = await findLongestWait(forge.database.db);
    stillFor = await findStandstill(forge);
  });
  if (reached.status !== "pass") {
    return reached;
  }
  const figure = { observedValue: Math.round(oldestSeconds), observedUnit: "s" } as const;
  if (stillFor > 0) {
    const output = `No job begins, although one waits for ${stillFor} s; the server's log says why. Restart the server if that stays so`;
    return { status: "warn", output, ...figure };
  }
  if (dead > 0) {
    const output = `${dead} jobs failed for good; the server's log and "stithy doctor" say why`;
    return { status: "warn", output, ...figure };
  }
  if (untold > 0) {
    const output = `Webhooks were not told of ${untold} events, whose payloads could not be made; the server's log says why`;
    return { status: "warn", output, ...figure };
  }
  return oldestSeconds > longWaitSeconds
    ? {
        status: "warn",
        output: `A job waits for more than an hour; "stithy admin jobs" lists them`,
        ...figure,
      }
    : { ...reached, ...figure };
}

/**
 * Checks everything that the server needs: the database, the git workers, the data directory. A server that listens and
 * is not ready fails, and is not checked further. `patience`: how long a check may take, in milliseconds.
 */
export async function checkHealth(forge: Forge, patience: number = patienceMs): Promise<Health> {
  const { awaited } = forge.readiness;
  if (awaited !== null) {
    return {
      status: "fail",
      checks: { start: { status: "fail", output: `The server starts: it waits for ${awaited}` } },
    };
  }
  const [database, git, storage, jobs] = await Promise.all([
    check(forge, patience, "database", () => forge.database.sql`select 1`),
    check(forge, patience, "git engine", () => pingGit(forge.git.engine)),
    check(forge, patience, "storage", async () => {
      accessSync(forge.files.packDirectory, constants.W_OK);
      await forge.files.room.check();
    }),
    checkJobs(forge, patience),
  ]);
  const checks = { database, git, storage, packs: checkPacks(forge), files: checkBlobs(forge), jobs };
  const found = Object.values(checks).map((one) => one.status);
  const status = found.includes("fail") ? "fail" : found.includes("warn") ? "warn" : "pass";
  return { status, checks };
}
