import type { RepositoryAccess } from "../../../auth/subject.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { isHiddenRef } from "../../../git/refs/hidden-refs.ts";
import { readPushReport, writePushCommands } from "../../../git/remote/push-remote.ts";
import type { RemoteRef } from "../../../git/remote/advertisement.ts";
import type { PushCommand } from "../../../git/transport/push-request.ts";
import { messageOf, StithyError } from "../../../lib/errors.ts";
import { compileNamePattern } from "../../../lib/name-pattern.ts";
import { patternWork } from "../../../lib/pattern-steps.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { inTurns } from "../../../lib/turns.ts";
import { agent } from "../../../lib/version.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import { explained, openRemote } from "../remotes/open-remote.ts";
import { findForServer } from "../remotes/queries.ts";
import { storedAddress } from "../remotes/remote-address.ts";
import { openCredentials } from "../remotes/sealed-credentials.ts";
import { noteHostKeyOf } from "./note-host-key.ts";
import { demandActive } from "./demand-active.ts";
import { afterFailure, afterSuccess } from "./next-try.ts";
import { packOf, sendLfsOf } from "./pack-for-push.ts";
import { tellFailure } from "./tell-failure.ts";
import { findPushMirrorById, updatePushMirror, type PushMirrorRow } from "./queries.ts";
import { enqueueNextSync } from "./request-sync.ts";

const reason = "mirror";
const branchPrefix = "refs/heads/";
const mirrored = /^refs\/(heads|tags|notes)\//;
/** More of what the other server has says nothing new. */
const mostHaves = 4096;

/** The context in which the credentials of a push mirror are sealed. */
export const pushMirrorContext = (id: number) => `push mirror ${id}`;

/**
 * Brings a repository elsewhere to where this one is. What went wrong is stored with the mirror, and it is tried again later; nothing is thrown
 * for it. A mirror that is gone is left alone.
 */
export async function syncPushMirror(forge: Forge, mirrorId: number, signal: AbortSignal): Promise<void> {
  const { db } = forge.database;
  const mirror = await findPushMirrorById(db, mirrorId);
  const access = mirror === null ? null : await findForServer(db, mirror.repositoryId);
  if (mirror === null || access === null) {
    return;
  }
  let tried;
  try {
    await demandActive(db, access);
    await demandMaker(forge, mirror);
    await pushTo(forge, access, mirror, signal);
    tried = afterSuccess(new Date());
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof StithyError)) {
      throw error;
    }
    const ids = { repository: mirror.repositoryId, mirror: mirrorId };
    forge.log.warn({ ...ids, reason: error.message }, "A push mirror could not be synchronized");
    tried = afterFailure(mirror, messageOf(error), new Date());
  }
  await forge.change(serverDoer(reason), async (work) => {
    const row = await updatePushMirror(work.tx, mirrorId, tried);
    await enqueueNextSync(work, { direction: "push", id: mirrorId, ownerId: access.owner.id }, row);
    await tellFailure(work, { repositoryId: mirror.repositoryId, pushMirrorId: mirrorId }, tried.failures);
  });
}

/**
 * Nothing is sent to where somebody wanted it who may not say so any more: a repository becomes private, and former colleagues keep
 * their servers. Throws RemoteFailed.
 */
async function demandMaker({ identity }: Forge, { makerId, repositoryId }: PushMirrorRow): Promise<void> {
  if (makerId === null) {
    return;
  }
  const { actor, repository } = await identity.findSubject({ userId: makerId }, { repositoryId });
  if (actor === null || repository === null || repository.mode < accessModes.admin) {
    throw new RemoteFailed(
      "refused",
      "Whoever made this push mirror may not administer the repository any more: it rests. Delete it, and make it again if it is still wanted",
    );
  }
}

async function pushTo(
  forge: Forge,
  { repository, counts }: RepositoryAccess,
  mirror: PushMirrorRow,
  signal: AbortSignal,
): Promise<void> {
  const address = storedAddress(mirror.address);
  const credentials = openCredentials(forge.keys.seal, mirror.sealedCredentials, pushMirrorContext(mirror.id));
  const onFirstKey = noteHostKeyOf(forge, mirror, (tx, hostKey) => updatePushMirror(tx, mirror.id, { hostKey }));
  const remote = { address, credentials, hostKey: mirror.hostKey, onFirstKey };
  await using opened = await openRemote(forge, remote, "git-receive-pack", signal);
  const { conversation, advertisement } = opened;
  const format = objectFormat(repository.objectFormat);
  if (advertisement.format.name !== format.name && advertisement.refs.length > 0) {
    throw new RemoteFailed("refused", `${address.text} names its objects by ${advertisement.format.name}`);
  }
  const isMirrored = filterOf(forge.config.git.hidden_refs, mirror.branchFilter);
  // The view is read after the refs, so that it has all that they reach.
  const ours = await chosenOf(await forge.git.refs.listRefs(repository.id), isMirrored);
  const view = await forge.git.views.current(repository);
  const theirs = await chosenOf(advertisement.refs, isMirrored);
  const commands = commandsFor(ours, theirs);
  if (commands.length > 0) {
    await explained(address, async () => {
      const head = writePushCommands(advertisement.capabilities, format, commands, agent);
      const wants = [...new Set(commands.flatMap(({ newOid }) => newOid ?? []))];
      const haves = [...new Set(advertisement.refs.map(({ oid }) => oid))].slice(0, mostHaves);
      const asked = { wants, haves, tips: ours };
      await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
      const pack =
        wants.length === 0
          ? null
          : counts.lfsBytes === 0 || address.scheme === "ssh"
            ? packOf(forge, view, asked)
            : await sendLfsOf(
                forge,
                { repositoryId: repository.id, view },
                asked,
                { remote, endpoint: "", signal },
                scratch.path,
              );
      const answer = await conversation.send(pack === null ? head : withPack(head, pack));
      const refused = await readPushReport(answer);
      const [first] = refused;
      if (first !== undefined) {
        throw new RemoteFailed(
          "refused",
          `${address.text} refused ${first[0]}: ${first[1]}${refused.size > 1 ? ` (and ${refused.size - 1} more)` : ""}`,
        );
      }
    });
  }
}

function filterOf(hidden: readonly string[], branchFilter: string): (name: string) => boolean {
  const matches = branchFilter === "" ? null : compileNamePattern(branchFilter, "branch_filter");
  return (name) =>
    mirrored.test(name) &&
    !isHiddenRef(name, hidden) &&
    (matches === null || !name.startsWith(branchPrefix) || matches(name.slice(branchPrefix.length)));
}

/** The limit on the work of comparing the names of one repository with a filter: a second or two, in turns. */
const mostFilterWork = 20_000_000;

/** Returns the refs that match. Throws RemoteFailed if the filter takes too long. */
async function chosenOf<Ref extends { readonly name: string }>(
  refs: readonly Ref[],
  fits: (name: string) => boolean,
): Promise<Ref[]> {
  const chosen: Ref[] = [];
  let spent = 0;
  for await (const ref of inTurns(refs)) {
    const before = patternWork();
    if (fits(ref.name)) {
      chosen.push(ref);
    }
    spent += patternWork() - before;
    if (spent > mostFilterWork) {
      throw new RemoteFailed(
        "refused",
        "The branch filter takes too long to compare with so many branches: make it simpler",
      );
    }
  }
  return chosen;
}

/** Returns the commands that make their refs equal to ours. */
function commandsFor(ours: readonly RemoteRef[], theirs: readonly RemoteRef[]): PushCommand[] {
  const there = new Map(theirs.map(({ name, oid }) => [name, oid]));
  const here = new Map(ours.map(({ name, oid }) => [name, oid]));
  return [
    ...ours
      .filter(({ name, oid }) => there.get(name) !== oid)
      .map(({ name, oid }) => ({ name, oldOid: there.get(name) ?? null, newOid: oid })),
    ...theirs.filter(({ name }) => !here.has(name)).map(({ name, oid }) => ({ name, oldOid: oid, newOid: null })),
  ];
}

async function* withPack(head: Uint8Array, pack: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* pack;
}
