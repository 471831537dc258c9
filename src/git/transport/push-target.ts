import type { StithyError } from "../../lib/errors.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { Ref } from "../refs/ref.ts";
import type { ClientDescription } from "../wire/capabilities.ts";
import type { PushReport } from "./push-report.ts";
import type { PushCommand, PushLimits } from "./push-request.ts";

/** A received push, ready to be taken. */
export interface ReceivedPush {
  readonly commands: readonly PushCommand[];
  /** the pack, fsynced, in a directory of its own that is removed when the push is taken; null when the push only deletes */
  readonly packPath: string | null;
  /** all refs or none */
  readonly atomic: boolean;
  /** as sent with `--push-option`, in order */
  readonly pushOptions: readonly string[];
}

/** Shows text to the person who pushes. `progress` is left out for those who push with --quiet or not at a terminal. */
export type TellPusher = (text: string, kind?: "progress" | "reason") => void;

/** How many bytes of a pack are taken, and what is thrown when so many have come that it has more. */
export interface PackRoom {
  readonly bytes: number;
  refusal(received: number): StithyError;
}

/** A repository as receive-pack needs it. */
export interface PushTarget {
  readonly format: ObjectFormat;
  /** what the server calls itself, as in `stithy/1.0` */
  readonly agent: string;
  /** names this conversation in logs of both sides; printable and short */
  readonly sessionId: string;
  readonly limits: PushLimits;
  /** looked up when a pack begins to come: how many bytes of it are taken; absent where only `limits` counts */
  readonly findRoom?: () => Promise<PackRoom>;
  /** where packs are spooled */
  readonly temporaryDirectory: string;
  /** hears, before the pack is read, what the client says of itself */
  noteClient(client: ClientDescription): void;
  /** the refs that the client may see, sorted by name */
  listRefs(): Promise<readonly Ref[]>;
  /**
   * Takes a push in. What the client did wrong is in the report, not thrown. `tell` shows text to the person who pushes,
   * such as a line of progress: it ends with a line feed, or with a carriage return where the next takes its place.
   */
  take(push: ReceivedPush, tell: TellPusher): Promise<PushReport>;
}
