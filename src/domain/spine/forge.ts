import type { Config } from "../../config/config.ts";
import type { DatabaseClient } from "../../db/client.ts";
import type { YamlReader } from "../../lib/yaml/yaml-reader.ts";
import type { JsonParser } from "../../lib/json/json-parser.ts";
import type { JsonWriter } from "../../lib/json/json-writer.ts";
import type { Logger } from "../../lib/log.ts";
import type { CodeColours } from "../../highlight/code-colours.ts";
import type { MarkdownRenderer } from "../../markdown/renderer.ts";
import type { OutboundClient } from "../../outbound/outbound-client.ts";
import type { Addresses } from "./addresses.ts";
import type { FindFacts } from "../server/forge/find-facts.ts";
import type { FormerNames } from "../server/forge/former-names.ts";
import type { FindUsersByEmail } from "../git/commits/queries.ts";
import type { GitServices } from "../server/forge/git-services.ts";
import type { Identity } from "../server/forge/identity.ts";
import type { ServerFiles } from "../server/forge/server-files.ts";
import type { ServerKeys } from "../server/forge/server-keys.ts";
import type { ServerMail } from "../server/forge/server-mail.ts";
import type { Readiness } from "../server/readiness.ts";
import type { QueuePulse } from "../../queue/queue-pulse.ts";
import type { LiveHub } from "../server/live/live-hub.ts";
import type { OutboxBell } from "../server/outbox/outbox-bell.ts";
import type { GatheredCounts } from "../../lib/gathered-counts.ts";
import type { PackageIndexes } from "../packages/package-indexes.ts";
import type { PackageKeys } from "../packages/package-keys.ts";
import type { Change } from "./work.ts";

/**
 * The services that surfaces and use cases share. The composition root (`app.ts`) builds them once. Each group is
 * declared and built in a file of `domain/server/forge/`: add a field to its group, or a file for a new group.
 */
export interface Forge {
  readonly config: Config;
  readonly log: Logger;
  readonly database: DatabaseClient;
  /** Opens a unit of work, the only way to change anything. */
  readonly change: Change;
  /** Rings when there is something new in the outbox. */
  readonly bell: OutboxBell;
  /** Tells open pages that what they show has changed. */
  readonly live: LiveHub;
  /** How many jobs of this process run, and when one began or ended last. */
  readonly pulse: QueuePulse;
  /** Whether the start is complete. */
  readonly readiness: Readiness;
  /** The URLs of this server. */
  readonly addresses: Addresses;
  /** The git engine and the services that read repositories with it. */
  readonly git: GitServices;
  /** Finds the users whose addresses commits name. */
  readonly findUsersByEmail: FindUsersByEmail;
  /** Finds out what rules have to know of moves. */
  readonly findFacts: FindFacts;
  /** Identifies the sender of a request. */
  readonly identity: Identity;
  /** Finds renamed owners and moved repositories by their former names. */
  readonly formerNames: FormerNames;
  /** The stores and directories for files. */
  readonly files: ServerFiles;
  readonly mail: ServerMail;
  /** Calls other servers. Nothing else does. */
  readonly outbound: OutboundClient;
  /** The server's own keys. */
  readonly keys: ServerKeys;
  /** The one writer of the registries' indexes. */
  readonly packageIndexes: PackageIndexes;
  /** Counts how often versions of packages are downloaded, by their ids. */
  readonly packageDownloads: GatheredCounts<number>;
  /** The keys that sign what the registries serve. */
  readonly packageKeys: PackageKeys;
  readonly markdown: MarkdownRenderer;
  /** Colours the code that pages show. */
  readonly colours: CodeColours;
  /** Parses files in YAML that strangers wrote. */
  readonly yaml: YamlReader;
  /** Parses the bodies that callers send, and writes the answers. */
  readonly json: JsonParser;
  readonly jsonWriter: JsonWriter;
}

/** The parts of a forge that writing to repositories needs, so that commands can have them, too. */
export type GitForge = Pick<Forge, "config" | "log" | "change" | "git"> & {
  readonly files: Pick<ServerFiles, "packDirectory" | "temporaryDirectory"> & {
    /** null for commands, which may make room. */
    readonly room: ServerFiles["room"] | null;
  };
};
