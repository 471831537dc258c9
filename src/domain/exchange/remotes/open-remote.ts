import { readAdvertisement, TooManyRefs, type Advertisement } from "../../../git/remote/advertisement.ts";
import type { Forge } from "../../spine/forge.ts";
import { ProtocolError } from "../../../git/wire/protocol-error.ts";
import { OutboundFailed } from "../../../outbound/errors.ts";
import { leastProgress } from "../../../outbound/progress-watch.ts";
import type { Conversation, RemoteService } from "./conversation.ts";
import { RemoteFailed } from "./errors.ts";
import { openGit } from "./git-remote.ts";
import { openHttp } from "./http-remote.ts";
import type { RemoteAddress, RemoteCredentials } from "./remote-address.ts";
import { openSsh, type KnownHost } from "./ssh-remote.ts";

/** A repository elsewhere, and what opens it. */
export interface Remote extends KnownHost {
  readonly address: RemoteAddress;
  readonly credentials: RemoteCredentials | null;
}

/** A conversation whose advertisement was read. */
export interface OpenRemote extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly advertisement: Advertisement;
}

/**
 * Opens a repository elsewhere and reads its refs. Throws AddressRefused for an address that the server does not call, and RemoteFailed
 * for everything else.
 */
export async function openRemote(
  { outbound, config }: Pick<Forge, "outbound" | "config">,
  remote: Remote,
  service: RemoteService,
  signal?: AbortSignal,
): Promise<OpenRemote> {
  const { address, credentials } = remote;
  const { push_limit_bytes: packBytes, push_timeout_seconds: seconds } = config.git;
  // Beyond the pack there are the frames of the sideband, and texts.
  const answerBytes = packBytes + Math.ceil(packBytes / 100) + 16 * 1024 * 1024;
  const bounds = { answerBytes, totalMs: seconds * 1000, progress: leastProgress };
  const limits = { ...bounds, ...(signal === undefined ? {} : { signal }) };
  const open = () => {
    switch (address.scheme) {
      case "ssh":
        return openSsh(outbound, address, credentials, service, remote, limits);
      case "git":
        return openGit(outbound, address, limits);
      default:
        return openHttp(outbound, address, credentials, service, limits);
    }
  };
  return explained(address, async () => {
    const conversation = await open();
    try {
      const advertisement = await readAdvertisement(conversation.advertised, config.mirror.most_refs);
      return { conversation, advertisement, [Symbol.asyncDispose]: () => conversation[Symbol.asyncDispose]() };
    } catch (error) {
      await conversation[Symbol.asyncDispose]();
      throw error;
    }
  });
}

/** Runs a part of a conversation; what went wrong in it is told as RemoteFailed with the address. */
export async function explained<Result>({ text }: RemoteAddress, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OutboundFailed) {
      throw new RemoteFailed("unreachable", `${text}: ${error.message}`, { cause: error });
    }
    if (error instanceof TooManyRefs) {
      throw new RemoteFailed("refused", `${text}: ${error.message}: this server takes no more (mirror.most_refs)`, {
        cause: error,
      });
    }
    if (error instanceof ProtocolError) {
      throw new RemoteFailed("refused", `${text}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
