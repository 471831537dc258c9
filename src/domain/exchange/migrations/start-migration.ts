import type { RepositoryRow } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { newJob } from "../../../queue/enqueue.ts";
import type { UserDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { insertPullMirror } from "../mirrors/queries.ts";
import { pullMirrorContext } from "../mirrors/sync-pull-mirror.ts";
import { openRemote } from "../remotes/open-remote.ts";
import { isAmbiguousRef } from "../../../git/refs/ref-name.ts";
import { readRemoteAddress, type RemoteCredentials } from "../remotes/remote-address.ts";
import { sealCredentials } from "../remotes/sealed-credentials.ts";
import { createEmpty, readNewRepository, type Creation } from "../../repos/create-repository.ts";
import type { MigratedAuthors } from "./source-authors.ts";
import type { SourceService } from "./source-client.ts";
import { insertMigration, setMigrationCredentials } from "./queries.ts";

/** The items to bring beside the history. */
export interface MigratedItems {
  /** The kind of server whose API has them. */
  service: SourceService;
  labels: boolean;
  milestones: boolean;
  issues: boolean;
  pulls: boolean;
  releases: boolean;
  wiki: boolean;
  lfs: boolean;
  /** Where the LFS objects are; empty: below the address. */
  lfsEndpoint: string;
  authors: MigratedAuthors;
}

/** Whether any of it comes from the other server's API. */
export function needsApi({ labels, milestones, issues, pulls, releases }: MigratedItems): boolean {
  return labels || milestones || issues || pulls || releases;
}

export interface MigrationRequest {
  name: string;
  description: string;
  private: boolean;
  /** As it was sent: credentials may be in it. */
  address: string;
  credentials: RemoteCredentials | null;
  items: MigratedItems;
  /** Follows the other repository from then on, so often; 0: when it is asked to. null: it is no mirror. */
  mirror: { intervalSeconds: number } | null;
}

/** A server that has not listed its refs by then is not waited for in a request. */
const lookMs = 60_000;

/** The context in which the credentials of a migration are sealed. */
export const migrationContext = (id: number) => `migration ${id}`;

/**
 * Begins to bring a repository from elsewhere. The address, the credentials and what is there are looked at first, so that what cannot
 * succeed fails at once and leaves nothing. The look ends with the signal. Returns the empty repository, which a job fills, and the id of the migration. Throws
 * RemoteFailed, AddressRefused, and what `createEmpty` throws.
 */
export async function startMigration(
  forge: Forge,
  doer: UserDoer,
  creation: Creation,
  request: MigrationRequest,
  signal: AbortSignal,
): Promise<{ repository: RepositoryRow; migrationId: number }> {
  const { name, description, mirror, items } = request;
  const columns = readNewRepository(forge, doer, creation, { name, description, private: request.private });
  const read = readRemoteAddress(request.address, "clone_addr");
  const isWeb = read.address.scheme === "http" || read.address.scheme === "https";
  if (!isWeb && needsApi(items)) {
    throw new InvalidInput(
      "clone_addr: what the API of the other server has is brought over http and https only",
      "clone_addr",
    );
  }
  if (!isWeb && items.lfs && items.lfsEndpoint === "") {
    throw new InvalidInput("lfs_endpoint is needed: LFS objects are brought over http and https only", "lfs_endpoint");
  }
  if (items.lfsEndpoint !== "") {
    forge.outbound.checkUrl(items.lfsEndpoint);
  }
  const credentials = request.credentials ?? read.credentials;
  const remote = { address: read.address, credentials, hostKey: null };
  const found = await lookAt(forge, remote, signal);
  const key = forge.keys.seal;
  return forge.change(doer, async (work) => {
    const address = read.address.text;
    const repository = await createEmpty(work, creation, {
      ...columns,
      objectFormat: found.format,
      defaultBranch: found.branch ?? columns.defaultBranch,
      mirror: mirror !== null,
      originalUrl: address,
    });
    if (mirror !== null) {
      await insertPullMirror(work.tx, {
        repositoryId: repository.id,
        address,
        sealedCredentials: sealCredentials(key, credentials, pullMirrorContext(repository.id)),
        hostKey: found.hostKey,
        intervalSeconds: mirror.intervalSeconds,
        prune: true,
        lfs: items.lfs,
        wiki: items.wiki,
        lfsEndpoint: items.lfsEndpoint,
      });
    }
    const migrationId = await insertMigration(work.tx, {
      actorId: doer.actor.id,
      repositoryId: repository.id,
      fullName: `${creation.owner.name}/${repository.name}`,
      address,
      hostKey: found.hostKey,
      options: items,
    });
    await setMigrationCredentials(
      work.tx,
      migrationId,
      sealCredentials(key, credentials, migrationContext(migrationId)),
    );
    await work.enqueueForServer(
      "migration",
      newJob("migration", { migrationId }, { key: String(migrationId), principal: doer.actor.id }),
    );
    return { repository, migrationId };
  });
}

async function lookAt(forge: Forge, remote: Parameters<typeof openRemote>[1], signal: AbortSignal) {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(lookMs)]);
  await using opened = await openRemote(forge, remote, "git-upload-pack", limited);
  const { format, head } = opened.advertisement;
  const branch =
    head?.startsWith("refs/heads/") === true && !isAmbiguousRef(head) ? head.slice("refs/heads/".length) : null;
  return { format: format.name, branch, hostKey: opened.conversation.hostKey };
}
