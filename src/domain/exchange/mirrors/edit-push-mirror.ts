import { generateKeyPair } from "ssh2/lib/keygen.js";
import { parseKey } from "ssh2/lib/protocol/keyParser.js";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { compileNamePattern } from "../../../lib/name-pattern.ts";
import type { Doer } from "../../spine/doer.ts";
import { NotFound, RepositoryArchived } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { explained } from "../remotes/open-remote.ts";
import { readRemoteAddress, type RemoteCredentials } from "../remotes/remote-address.ts";
import { sealCredentials } from "../remotes/sealed-credentials.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import {
  deletePushMirrorRow,
  findPushMirror,
  insertPushMirror,
  listPushMirrors,
  updatePushMirror,
  type PushMirrorRow,
} from "./queries.ts";
import { enqueueSync } from "./request-sync.ts";
import { pushMirrorContext } from "./sync-push-mirror.ts";

export interface NewPushMirror {
  /** The address as it was sent. It may contain credentials. */
  address: string;
  username: string;
  password: string;
  /** With an SSH key that the server makes, in place of a password. */
  useSsh: boolean;
  intervalSeconds: number;
  syncOnCommit: boolean;
  /** A pattern for names of branches; empty: all. */
  branchFilter: string;
}

/** Push mirrors of one repository. */
const most = 20;
const longestFilter = 2048;

/**
 * Adds a push mirror, which is synchronized soon. Throws RemoteFailed and AddressRefused (the address), InvalidInput naming the field,
 * NotFound, RepositoryArchived.
 */
export async function addPushMirror(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  asked: NewPushMirror,
): Promise<PushMirrorRow> {
  const { address, credentials: inAddress } = readRemoteAddress(asked.address, "remote_address");
  if (asked.branchFilter.length > longestFilter) {
    throw new InvalidInput(`branch_filter must have at most ${longestFilter} characters`, "branch_filter");
  }
  if (asked.branchFilter !== "") {
    compileNamePattern(asked.branchFilter, "branch_filter");
  }
  if (address.scheme === "git") {
    throw new InvalidInput("Nothing can be pushed over the git protocol: use https or ssh", "remote_address");
  }
  if (asked.useSsh !== (address.scheme === "ssh")) {
    throw new InvalidInput(
      asked.useSsh
        ? "use_ssh needs an address of SSH as remote_address, such as git@host:owner/name.git"
        : "An address of SSH needs use_ssh: the server makes a key, whose public half is to be registered there",
      "use_ssh",
    );
  }
  if (asked.useSsh && (asked.username !== "" || asked.password !== "" || inAddress !== null)) {
    throw new InvalidInput(
      "With use_ssh a key signs in: send no remote_username and no remote_password",
      "remote_password",
    );
  }
  const host = new URL(address.text).hostname.replace(/^\[|\]$/g, "");
  await explained(address, () =>
    address.scheme === "ssh" ? forge.outbound.checkDirect(host, "ssh") : forge.outbound.checkHost(host),
  );
  const pair = asked.useSsh ? await makeKeyPair() : null;
  const password: RemoteCredentials | null =
    asked.username === "" && asked.password === ""
      ? inAddress
      : { kind: "password", username: asked.username, password: asked.password };
  const credentials: RemoteCredentials | null = pair === null ? password : { kind: "key", privateKey: pair.private };
  return forge.change(doer, async (work) => {
    const repository = namedRepository(access);
    const fullName = `${repository.owner.name}/${repository.name}`;
    const locked = await lockRepositoryRow(work.tx, repository.id);
    if (locked === null) {
      throw new NotFound("repository", fullName);
    }
    if (locked.archivedAt !== null) {
      throw new RepositoryArchived(fullName);
    }
    if ((await listPushMirrors(work.tx, repository.id, { size: 1, offset: 0 })).total >= most) {
      throw new InvalidInput(`A repository has at most ${most} push mirrors`);
    }
    const row = await insertPushMirror(work.tx, {
      repositoryId: repository.id,
      name: `remote_mirror_${crypto.randomUUID().replaceAll("-", "").slice(0, 10)}`,
      address: address.text,
      makerId: work.actorId,
      intervalSeconds: asked.intervalSeconds,
      publicKey: pair?.public ?? null,
      syncOnCommit: asked.syncOnCommit,
      branchFilter: asked.branchFilter,
    });
    const sealedCredentials = sealCredentials(forge.keys.seal, credentials, pushMirrorContext(row.id));
    await updatePushMirror(work.tx, row.id, { sealedCredentials });
    await enqueueSync(work, { direction: "push", id: row.id, ownerId: locked.ownerId });
    return row;
  });
}

/** Deletes a push mirror; what it has pushed stays there. Throws NotFound. */
export async function deletePushMirror(work: Work, access: RepositoryAccess, name: string): Promise<void> {
  const repository = namedRepository(access);
  const row = await findPushMirror(work.tx, repository.id, name);
  if (row === null) {
    throw new NotFound("push mirror", name.slice(0, 80));
  }
  await deletePushMirrorRow(work.tx, row.id);
}

/** The library writes one in several hundred Ed25519 keys such that it cannot be read again: then another is made. */
async function makeKeyPair(): Promise<{ private: string; public: string }> {
  for (let attempt = 1; ; attempt++) {
    const pair = await new Promise<{ private: string; public: string }>((resolve, reject) => {
      generateKeyPair("ed25519", (error, made) => (error === null ? resolve(made) : reject(error)));
    });
    const [parsed] = [parseKey(pair.private)].flat();
    if (parsed !== undefined && !(parsed instanceof Error) && parsed.isPrivateKey()) {
      return pair;
    }
    if (attempt === 10) {
      throw new Error("No SSH key could be made");
    }
  }
}
