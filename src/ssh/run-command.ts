import type { Target } from "../auth/find-subject.ts";
import { principalOf } from "../auth/principal.ts";
import type { Subject } from "../auth/subject.ts";
import { describeError, findOutage } from "../db/pg-errors.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { findDamage } from "../domain/git/packs/find-damage.ts";
import { createLfsToken } from "../domain/git/lfs/lfs-token.ts";
import { archiveSource } from "../domain/git/refs/archive-source.ts";
import { pullSource } from "../domain/work/git-access/pull-source.ts";
import { pushTarget } from "../domain/work/git-access/push-target.ts";
import { openForGit, type GitAccess, type GitService } from "../domain/work/git-access/open-for-git.ts";
import { protocolVersion } from "../git/transport/advertise.ts";
import { serveReceivePack } from "../git/transport/serve-receive-pack.ts";
import { serveUploadArchive } from "../git/transport/serve-upload-archive.ts";
import { serveUploadPack } from "../git/transport/serve-upload-pack.ts";
import { ProtocolError } from "../git/wire/protocol-error.ts";
import { StithyError, type ErrorKind } from "../lib/errors.ts";
import { becomePrincipal } from "../lib/request-context.ts";
import { noteWork } from "../lib/note-work.ts";
import { parseCommandLine, type GitCommand } from "./command-line.ts";
import type { Conversation } from "./conversation.ts";

/** The identity of a connection's user. */
export interface SignedIn {
  /** The fingerprint of the key whose signature was verified. */
  fingerprint: string;
  username: string;
  /** Where the connection comes from. */
  address: string;
}

/** Something that its sender should be told, in the words of the message. */
class SshRefusal extends StithyError {
  constructor(message: string) {
    super("forbidden", "ssh-refusal", message);
  }
}

/** As git's own programs end when they give up. */
const failed = 128;

/**
 * Runs what a client asks for, and ends its conversation: one of git's commands, or a greeting where it asks for a shell
 * (`line` null). Never throws; what goes wrong is told to the client or, where it is our fault, to the log.
 */
export async function runCommand(
  forge: Forge,
  who: SignedIn,
  line: string | null,
  gitProtocol: string | null,
  conversation: Conversation,
): Promise<void> {
  noteWork();
  try {
    const identify = await prepareIdentify(forge, who);
    if (line === null) {
      await conversation.tell(await greeting(identify));
      return conversation.finish(1);
    }
    if (who.username !== forge.config.ssh.user) {
      throw new SshRefusal(`Use the user name "${forge.config.ssh.user}": who you are is told by your key`);
    }
    await runGitCommand(forge, identify, parseCommandLine(line), gitProtocol, conversation);
    conversation.finish(0);
  } catch (error) {
    const told = explain(forge, error, conversation);
    await (told === null ? undefined : conversation.tell(told).catch(() => {}));
    conversation.finish(error instanceof ProtocolError ? failed : 1);
  }
}

type Identify = (target: Target) => Promise<Subject>;

/** The key is looked at again for each command: what was revoked since the connection began is gone. */
async function prepareIdentify(forge: Forge, { fingerprint, address }: SignedIn): Promise<Identify> {
  return async (target) => {
    const subject = await forge.identity.identifyKey(fingerprint, target);
    if (subject === null) {
      throw new SshRefusal("Your key is not accepted any more");
    }
    becomePrincipal(principalOf(address, subject));
    return subject;
  };
}

async function greeting(identify: Identify): Promise<string> {
  const { actor } = await identify({});
  const whom = actor === null ? "Hello! You are signed in with a deploy key" : `Hello ${actor.name}! You are signed in`;
  return `${whom}, but there is no shell here: this server speaks git only`;
}

async function runGitCommand(
  forge: Forge,
  identify: Identify,
  command: GitCommand,
  gitProtocol: string | null,
  conversation: Conversation,
): Promise<void> {
  const version = protocolVersion(gitProtocol);
  const open = (service: GitService): Promise<GitAccess> =>
    openForGit(forge, identify, command.owner, command.repo, service);
  switch (command.program) {
    case "git-upload-pack": {
      const { access } = await open("fetch");
      return send(
        conversation,
        serveUploadPack(conversation.input(), pullSource(forge, access, conversation.signal), version),
      );
    }
    case "git-receive-pack": {
      const opened = await open("propose");
      return send(conversation, serveReceivePack(conversation.input(), pushTarget(forge, opened), version));
    }
    case "git-lfs-authenticate": {
      const opened = await open(command.operation === "upload" ? "edit" : "fetch");
      if (!forge.config.lfs.enabled) {
        throw new SshRefusal("Git LFS is turned off on this server");
      }
      const answer = createLfsToken(forge, { ...opened, operation: command.operation });
      return conversation.write(Buffer.from(`${JSON.stringify(answer)}\n`));
    }
    case "git-upload-archive": {
      const { access } = await open("fetch");
      return send(
        conversation,
        serveUploadArchive(conversation.input(), archiveSource(forge, access, conversation.signal)),
      );
    }
  }
}

async function send(conversation: Conversation, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    await conversation.write(chunk);
  }
}

/** Whether the client is told in the words of the error. What is not told is logged, and the client hears that it failed. */
const told: Readonly<Record<ErrorKind, boolean>> = {
  absent: true,
  unauthenticated: true,
  forbidden: true,
  invalid: true,
  malformed: true,
  conflict: true,
  "too-large": true,
  "too-many": true,
  "too-slow": true,
  busy: true,
  full: true,
  cancelled: false,
  fault: false,
};

/** Returns the message for the client; null for none. */
export function explain(forge: Forge, error: unknown, { signal }: Pick<Conversation, "signal">): string | null {
  const isCancelled = error instanceof StithyError && error.kind === "cancelled";
  if (isCancelled || error instanceof ProtocolError || signal.aborted) {
    // The one is not there to hear it, the other has been told in git's own way.
    return null;
  }
  if (error instanceof StithyError && told[error.kind]) {
    return `stithy: ${error.message}`;
  }
  const damage = findDamage(error);
  const outage = damage === null ? findOutage(error) : null;
  if (outage !== null) {
    return `stithy: ${outage}`;
  }
  forge.log.error(describeError(error), "A command over SSH failed");
  return `stithy: ${damage ?? "Something went wrong on the server; its log says what"}`;
}
