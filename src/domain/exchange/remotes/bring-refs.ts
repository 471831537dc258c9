import { join } from "node:path";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { readFetchAnswer, writeFetchRequest } from "../../../git/remote/fetch-remote.ts";
import { isHiddenRef } from "../../../git/refs/hidden-refs.ts";
import { isAmbiguousRef, isRefName } from "../../../git/refs/ref-name.ts";
import type { PushCommand } from "../../../git/transport/push-request.ts";
import { PackTooLarge, spoolPack } from "../../../git/transport/spool-pack.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { agent } from "../../../lib/version.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { push } from "../../work/git-access/push.ts";
import { isWikiStore } from "../../git/wiki-stores/wiki-store.ts";
import { editRepository } from "../../repos/edit-repository.ts";
import { getRepository } from "../../repos/queries.ts";
import { RemoteFailed } from "./errors.ts";
import { explained, openRemote, type Remote } from "./open-remote.ts";

/** The refs that are brought from a repository elsewhere: branches and tags, except those with ambiguous names, and notes; with pull requests their heads, too. */
const brought = /^refs\/(heads|tags|notes)\//;
const pullHead = /^refs\/pull\/[1-9]\d{0,8}\/head$/;
const branchPrefix = "refs/heads/";

export interface BringRefs {
  readonly remote: Remote;
  /** Whether branches and tags that are not there go here, too. */
  readonly prune: boolean;
  /** Whether the heads of pull requests are brought, too. */
  readonly pulls?: boolean;
  /** For the reflog and the log, such as "mirror". */
  readonly reason: string;
  readonly signal?: AbortSignal;
  /** Called with bytes of the pack that have come. */
  readonly onBytes?: (bytes: number) => void;
}

export interface BroughtRefs {
  /** How many refs were created, moved or deleted. */
  readonly moved: number;
}

/**
 * Lets a repository have the branches and tags of one elsewhere. The pack goes through the same checks as that of a push, and the server
 * itself moves the refs. The default branch becomes that of the other one. Throws RemoteFailed, AddressRefused, PackTooLarge, and what
 * `push` does with the repository.
 */
export async function bringRefs(forge: Forge, access: RepositoryAccess, request: BringRefs): Promise<BroughtRefs> {
  const { remote, prune, reason, signal } = request;
  forge.files.room.demand();
  await using opened = await openRemote(forge, remote, "git-upload-pack", signal);
  const { advertisement } = opened;
  const { repository } = access;
  if (advertisement.refs.length > 0 && advertisement.format.name !== repository.objectFormat) {
    throw new RemoteFailed(
      "refused",
      `${remote.address.text} names its objects by ${advertisement.format.name}, and the repository by ${repository.objectFormat}`,
    );
  }
  const hidden = forge.config.git.hidden_refs;
  const isHead = (name: string) => request.pulls === true && pullHead.test(name);
  const isBrought = (name: string) =>
    (brought.test(name) && isRefName(name) && !isAmbiguousRef(name) && !isHiddenRef(name, hidden)) || isHead(name);
  const theirs = new Map(advertisement.refs.filter(({ name }) => isBrought(name)).map(({ name, oid }) => [name, oid]));
  const ours = new Map((await forge.git.refs.listRefs(repository.id)).map(({ name, oid }) => [name, oid]));
  const commands: PushCommand[] = [];
  for (const [name, oid] of theirs) {
    if (ours.get(name) !== oid) {
      commands.push({ name, oldOid: ours.get(name) ?? null, newOid: oid });
    }
  }
  const gone = prune ? [...ours].filter(([name]) => brought.test(name) && isBrought(name) && !theirs.has(name)) : [];
  const known = new Set(ours.values());
  const wants = [...new Set(commands.flatMap(({ newOid }) => newOid ?? []))].filter((oid) => !known.has(oid));

  await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
  let packPath: string | null = null;
  if (wants.length > 0) {
    packPath = join(scratch.path, "received.pack");
    await receivePack(forge, request, opened, { wants, haves: [...known] }, packPath);
  }
  await take(forge, access, { commands, packPath, reason, address: remote.address.text });
  if (!isWikiStore(repository.id)) {
    await followHead(forge, access, advertisement.head, theirs);
  }
  const deletions = gone.map(([name, oid]) => ({ name, oldOid: oid, newOid: null }));
  await take(forge, access, { commands: deletions, packPath: null, reason, address: remote.address.text });
  return { moved: commands.length + deletions.length };
}

async function receivePack(
  forge: Forge,
  { remote, onBytes }: BringRefs,
  { conversation, advertisement }: Awaited<ReturnType<typeof openRemote>>,
  { wants, haves }: { wants: readonly string[]; haves: readonly string[] },
  path: string,
): Promise<void> {
  await explained(remote.address, async () => {
    const asked = writeFetchRequest(advertisement.capabilities, { wants, haves, agent });
    const answer = await conversation.send(asked);
    const limits = { packBytes: forge.config.git.push_limit_bytes };
    await spoolPack(readFetchAnswer(answer), path, limits, (chunk) => onBytes?.(chunk.length)).catch(
      (error: unknown) => {
        throw error instanceof PackTooLarge
          ? new RemoteFailed(
              "refused",
              `${remote.address.text} is larger than this server takes: ${limits.packBytes} bytes (git.push_limit_bytes)`,
            )
          : error;
      },
    );
  });
}

interface Taken {
  commands: readonly PushCommand[];
  packPath: string | null;
  reason: string;
  address: string;
}

/** Takes it as a push of the server. Throws RemoteFailed for what is refused. */
async function take(
  forge: Forge,
  access: RepositoryAccess,
  { commands, packPath, reason, address }: Taken,
): Promise<void> {
  if (commands.length === 0) {
    return;
  }
  const doer = serverDoer(reason);
  const report = await push(forge, {
    repository: access,
    doer,
    reason,
    commands,
    packPath,
    atomic: false,
    pushOptions: [],
    ownRefs: true,
  });
  const refused = report.refs.filter(({ error }) => error !== null);
  if (report.unpackError !== null || refused.length > 0) {
    const [first] = refused;
    throw new RemoteFailed(
      "refused",
      `${address} was not taken: ${report.unpackError ?? `${first?.name}: ${first?.error}`}${refused.length > 1 ? ` (and ${refused.length - 1} more)` : ""}`,
    );
  }
}

/** Makes the branch the default one that `headAmong` finds. */
async function followHead(
  forge: Forge,
  access: RepositoryAccess,
  head: string | null,
  theirs: ReadonlyMap<string, string>,
): Promise<void> {
  const { defaultBranch } = await getRepository(forge.database.db, access.repository.id);
  const branch = headAmong(theirs, head, defaultBranch);
  if (branch !== null && branch !== defaultBranch) {
    await forge.change(serverDoer("mirror"), (work) => editRepository(work, access, { defaultBranch: branch }));
  }
}

/**
 * The short name of the branch that is the default one elsewhere. If that is not brought, the present one as long as it is there, else another
 * branch: a default branch that is gone could not be deleted. null for none.
 */
function headAmong(theirs: ReadonlyMap<string, string>, head: string | null, present: string): string | null {
  const branches = [...theirs.keys()].filter((name) => name.startsWith(branchPrefix));
  const wanted = [head, ...[present, "main", "master"].map((name) => branchPrefix + name)];
  const found = wanted.find((name) => name !== null && branches.includes(name)) ?? branches[0];
  return found?.slice(branchPrefix.length) ?? null;
}
