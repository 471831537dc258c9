import { objectFormat, type ObjectFormat } from "../objects/object-format.ts";
import { isOid } from "../objects/oid.ts";
import { parseCapabilities, type Capabilities } from "../wire/capabilities.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { ProtocolError } from "../wire/protocol-error.ts";

/** A ref of another server. */
export interface RemoteRef {
  readonly name: string;
  /** hex */
  readonly oid: string;
}

/** A server's first message about a repository, before any request. */
export interface Advertisement {
  readonly format: ObjectFormat;
  /** in the order sent: branches, tags, notes and heads of pull requests */
  readonly refs: readonly RemoteRef[];
  /** full name of the branch that HEAD is; null where the server does not say */
  readonly head: string | null;
  readonly capabilities: Capabilities;
}

/** Bounds of an advertisement that is read. */
export const advertisementLimits = {
  packetBytes: 65_520,
  /** Of all lines: half a million refs with usual names. */
  totalBytes: 64 * 1024 * 1024,
} as const;

/** Refs that somebody may want to have, or to move. Some servers have two more for each pull request. */
const wanted = /^refs\/(?:heads|tags|notes)\/|^refs\/pull\/\d+\/head$/;

/** Another repository has more refs than are taken. */
export class TooManyRefs extends ProtocolError {}

/**
 * Reads the refs of upload-pack or receive-pack in protocol v0 or v1, behind the preamble of smart HTTP where there is one. Throws
 * TooManyRefs, and ProtocolError for what is none, also where the server says why it refuses. Source: gitprotocol-pack(5), gitprotocol-http(5).
 */
export async function readAdvertisement(reader: PacketReader, mostRefs: number): Promise<Advertisement> {
  let capabilities: Capabilities | null = null;
  let format: ObjectFormat | null = null;
  const refs: RemoteRef[] = [];
  let headOid: string | null = null;
  let isPreamble = false;
  let bytes = 0;
  for (let next = await reader.nextLine(); ; next = await reader.nextLine()) {
    if ("mark" in next) {
      if (next.mark === "flush" && isPreamble) {
        isPreamble = false;
        continue;
      }
      if (next.mark === "flush") {
        break;
      }
      throw new ProtocolError("The list of refs ended early");
    }
    const { line } = next;
    bytes += line.length;
    if (bytes > advertisementLimits.totalBytes) {
      throw new TooManyRefs(
        `The list of refs of the other repository has more than ${advertisementLimits.totalBytes} bytes`,
      );
    }
    if (line.startsWith("ERR ")) {
      throw new ProtocolError(`The other server says: ${line.slice(4, 204)}`);
    }
    if (capabilities === null && line.startsWith("# service=")) {
      isPreamble = true;
      continue;
    }
    if (capabilities === null && /^version [01]$/.test(line)) {
      continue;
    }
    const nul = line.indexOf("\0");
    if (capabilities === null) {
      capabilities = parseCapabilities(nul < 0 ? "" : line.slice(nul + 1).trim());
      format = formatOf(capabilities.find("object-format"));
    }
    const text = nul < 0 ? line : line.slice(0, nul);
    if (text.startsWith("shallow ")) {
      throw new ProtocolError("The other repository is shallow: its history is not whole");
    }
    const space = text.indexOf(" ");
    const [oid, name] = [text.slice(0, space), text.slice(space + 1)];
    if (format === null || space < 0 || !isOid(oid, format)) {
      throw new ProtocolError("A line of the list of refs is none");
    }
    if (name === "HEAD") {
      headOid = oid;
    } else if (wanted.test(name) && !name.endsWith("^{}")) {
      if (refs.length === mostRefs) {
        throw new TooManyRefs(`The other repository has more than ${mostRefs} branches, tags and other refs`);
      }
      refs.push({ name, oid });
    }
  }
  capabilities ??= parseCapabilities("");
  const named = capabilities.all("symref").find((one) => one.startsWith("HEAD:"));
  // A server that does not name it has one of the branches at the same commit.
  const head = named?.slice("HEAD:".length) ?? branchAt(refs, headOid);
  return { format: format ?? objectFormat("sha1"), refs, head, capabilities };
}

function branchAt(refs: readonly RemoteRef[], oid: string | null): string | null {
  const at = refs.filter((ref) => ref.oid === oid && ref.name.startsWith("refs/heads/")).map(({ name }) => name);
  return ["refs/heads/main", "refs/heads/master"].find((name) => at.includes(name)) ?? at[0] ?? null;
}

function formatOf(name: string | null): ObjectFormat {
  if (name !== null && name !== "sha1" && name !== "sha256") {
    throw new ProtocolError(
      `The other repository names its objects in a way that is not known here (${name.slice(0, 40)})`,
    );
  }
  return objectFormat(name ?? "sha1");
}
