import type { PacketReader } from "../../../git/wire/packet-reader.ts";
import type { Progress } from "../../../outbound/progress-watch.ts";
import { RemoteFailed } from "./errors.ts";

export type RemoteService = "git-upload-pack" | "git-receive-pack";

/** The body of a request to another server. */
export type RemoteBody = Uint8Array | AsyncIterable<Uint8Array>;

/** A conversation with a git server elsewhere, whatever carries it. Disposing ends it. */
export interface Conversation extends AsyncDisposable {
  /** Reads the advertisement of refs. */
  readonly advertised: PacketReader;
  /** Sends the one request of the conversation; what is returned reads the answer. */
  send(body: RemoteBody): Promise<PacketReader>;
  /** `SHA256:…` of the host key, over SSH. */
  readonly hostKey: string | null;
}

/** Whom a conversation is with, and its bounds. */
export interface ConversationLimits {
  /** The largest answer. */
  readonly answerBytes: number;
  readonly totalMs: number;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/** The longest silence of another server: some count objects for a while before they send anything. */
export const idleMs = 120_000;

/** Yields the chunks. Throws RemoteFailed if they are more bytes than the limit. */
export async function* boundedChunks(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw new RemoteFailed("refused", `The answer is larger than the limit of ${limit} bytes`);
    }
    yield chunk;
  }
}
