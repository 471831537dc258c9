import { messageOf, StithyError } from "../../../lib/errors.ts";
import { newJob } from "../../../queue/enqueue.ts";
import { serverDoer } from "../../spine/doer.ts";
import { isConnectionFailure, lacksUser } from "../../../db/pg-errors.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { updatePullMirror } from "../mirrors/queries.ts";
import { afterSuccess } from "../mirrors/next-try.ts";
import { enqueueNextSync } from "../mirrors/request-sync.ts";
import { bringLfs } from "../remotes/bring-lfs.ts";
import { bringRefs } from "../remotes/bring-refs.ts";
import { bringWiki } from "../remotes/bring-wiki.ts";
import { findForServer } from "../remotes/queries.ts";
import { storedAddress } from "../remotes/remote-address.ts";
import { openCredentials } from "../remotes/sealed-credentials.ts";
import { deleteRepositories } from "../../repos/delete-repository.ts";
import type { Work } from "../../spine/work.ts";
import { bringItems } from "./bring-items.ts";
import { demandStillGiven } from "./given-authors.ts";
import { endMigration, findMigration, noteProgress, type MigrationRow } from "./queries.ts";
import { migrationContext, needsApi, type MigratedItems } from "./start-migration.ts";

const reason = "migration";
const doer = serverDoer(reason);
const noteMs = 1000;
/** Longer than the API waits before it answers. */
const toldMs = 30_000;

/** The migration was cancelled while it ran. */
class Cancelled extends StithyError {
  constructor() {
    super("cancelled", "migration-cancelled", "The migration was cancelled");
  }
}

/**
 * Brings what a migration is to bring. When that fails, the repository is deleted, and the migration keeps why. A second run goes on where a
 * killed process has left it: what is there is not brought again.
 */
export async function runMigration(forge: Forge, migrationId: number, signal: AbortSignal): Promise<void> {
  const migration = await findMigration(forge.database.db, migrationId);
  if (migration === null || (migration.state !== "waiting" && migration.state !== "running")) {
    return;
  }
  try {
    await bring(forge, migration, signal);
    await forge.change(doer, async (work) => {
      await endMigration(work.tx, migrationId, { state: "done", error: "" });
    });
    forge.log.info({ migration: migrationId, repository: migration.repositoryId }, "Migrated a repository");
  } catch (error) {
    // A server that stops leaves the job in the queue.
    signal.throwIfAborted();
    if (error instanceof Cancelled) {
      return;
    }
    // The database, or a user who wrote something, was gone in this moment: the next try goes on from here.
    if (!(error instanceof StithyError) && (isConnectionFailure(error) || lacksUser(error))) {
      throw error;
    }
    const known = error instanceof StithyError && error.kind !== "fault";
    if (!known) {
      forge.log.error({ migration: migrationId, reason: messageOf(error) }, "A migration met a fault");
    }
    const why = known ? error.message : "Something went wrong on the server";
    await forge.change(doer, async (work) => {
      const isEnded = await giveUp(work, migrationId, { state: "failed", error: why });
      // Whoever still waits for the answer hears of it by that.
      if (isEnded && forge.config.mail.smtp_host !== "" && Date.now() - migration.createdAt.getTime() > toldMs) {
        await work.enqueueForServer(reason, newJob("mail", { about: "migration-failed", migrationId }));
      }
    });
  }
}

/** Ends a migration and deletes what it has brought. Throws NotFound for one that is not somebody's, or has ended. */
export async function cancelMigration(work: Work, actorId: number, id: number): Promise<void> {
  const migration = await findMigration(work.tx, id);
  if (migration === null || migration.actorId !== actorId) {
    throw new NotFound("migration", String(id));
  }
  if (!(await giveUp(work, id, { state: "cancelled", error: "" }))) {
    throw new NotFound("running migration", String(id));
  }
}

async function giveUp(
  work: Work,
  id: number,
  ending: { state: "failed" | "cancelled"; error: string },
): Promise<boolean> {
  const migration = await findMigration(work.tx, id);
  // The repository's row before the migration's, as all others lock them.
  if (migration?.repositoryId != null && (migration.state === "waiting" || migration.state === "running")) {
    await deleteRepositories(work, [migration.repositoryId]);
  }
  return (await endMigration(work.tx, id, ending)) !== null;
}

function addLeft(left: string[], count: number, what: string): void {
  if (count > 0) {
    left.push(`${count} ${what}`);
  }
}

/** Jobs may wait for hours: whoever may not write to the repository any more has nothing brought into it. Throws Forbidden. */
async function demandMaker(forge: Forge, migration: MigrationRow, repositoryId: number): Promise<void> {
  const { actorId, fullName } = migration;
  const { actor, repository } = await forge.identity.findSubject({ userId: actorId }, { repositoryId });
  if (actor === null || repository === null || repository.units.code < accessModes.write) {
    throw new Forbidden(`Whoever asked for it may not write to the repository "${fullName}" any more`);
  }
  demandStillGiven(actor, (migration.options as MigratedItems).authors);
}

async function bring(forge: Forge, migration: MigrationRow, signal: AbortSignal): Promise<void> {
  const { db } = forge.database;
  const { repositoryId } = migration;
  const access = repositoryId === null ? null : await findForServer(db, repositoryId);
  if (access === null || repositoryId === null) {
    throw new NotFound("repository", migration.fullName);
  }
  await demandMaker(forge, migration, repositoryId);
  const ending = new AbortController();
  const onAbort = () => ending.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  const note = async (step: string, percentage: number) => {
    if (!(await forge.change(doer, (work) => noteProgress(work.tx, migration.id, { step, percentage })))) {
      ending.abort();
      throw new Cancelled();
    }
  };
  try {
    const items = migration.options as MigratedItems;
    const credentials = openCredentials(forge.keys.seal, migration.sealedCredentials, migrationContext(migration.id));
    const remote = { address: storedAddress(migration.address), credentials, hostKey: migration.hostKey };
    await note("git", 1);
    let noted = performance.now();
    let bytes = 0;
    let noting = Promise.resolve();
    const common = { remote, prune: false, reason, signal: ending.signal };
    const stopped = (error: unknown) => {
      throw ending.signal.aborted && !signal.aborted ? new Cancelled() : error;
    };
    await bringRefs(forge, access, {
      ...common,
      pulls: items.pulls,
      onBytes: (more) => {
        bytes += more;
        if (performance.now() - noted > noteMs) {
          noted = performance.now();
          // How many are to come is not known before the last.
          noting = note(`git: ${Math.floor(bytes / 2 ** 20)} MiB`, 1).catch(() => {});
        }
      },
    }).catch(stopped);
    await noting;
    const left: string[] = [];
    if (items.wiki) {
      await note("wiki", 40);
      await bringWiki(forge, access, common).catch(stopped);
    }
    if (items.lfs) {
      await note("LFS objects", 45);
      const onObject = (done: number, total: number) => note(`LFS objects: ${done} of ${total}`, 45);
      const brought = await bringLfs(forge, access, { ...common, endpoint: items.lfsEndpoint, onObject }).catch(
        stopped,
      );
      addLeft(left, brought?.gone ?? 0, "LFS objects that are not there any more");
    }
    if (access.repository.mirror) {
      const pulled = { direction: "pull", id: repositoryId, ownerId: access.owner.id } as const;
      await forge.change(doer, async (work) => {
        const row = await updatePullMirror(work.tx, repositoryId, afterSuccess(new Date()));
        await enqueueNextSync(work, pulled, row);
      });
    }
    if (needsApi(items)) {
      const request = { migration, access, credentials, items, note, signal: ending.signal };
      const { pullsWithoutCommits, files } = await bringItems(forge, request).catch(stopped);
      addLeft(left, pullsWithoutCommits, "pull requests whose commits are gone, which are issues here");
      addLeft(left, files, "files of releases that this server does not take, to which the releases lead");
    }
    await note(left.length === 0 ? "done" : `done, but for ${left.join(", and ")}`, 99);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
