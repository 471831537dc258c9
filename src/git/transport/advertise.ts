import type { ObjectFormat } from "../objects/object-format.ts";
import type { Ref } from "../refs/ref.ts";
import { agentValue, writeCapabilities } from "../wire/capabilities.ts";
import { PacketWriter } from "../wire/packet-writer.ts";

export type ProtocolVersion = 0 | 1 | 2;
export type Service = "git-upload-pack" | "git-receive-pack";

/** The highest version that a `Git-Protocol` header (or GIT_PROTOCOL) asks for and we speak. */
export function protocolVersion(header: string | null): ProtocolVersion {
  let version: ProtocolVersion = 0;
  for (const word of (header ?? "").split(":", 64)) {
    if (word === "version=2") {
      return 2;
    }
    if (word === "version=1") {
      version = 1;
    }
  }
  return version;
}

/** Returns the lines that smart HTTP puts before the advertisement of v0 and v1. Source: gitprotocol-http(5). */
export function smartHttpPreamble(service: Service): Uint8Array {
  return new PacketWriter().line(`# service=${service}`).flush().take();
}

export interface RefAdvertisement {
  readonly version: 0 | 1;
  readonly service: Service;
  readonly format: ObjectFormat;
  /** those the client may see, sorted by name */
  readonly refs: readonly Ref[];
  /** full name of the default branch */
  readonly head: string;
  /** what we call ourselves, as in `stithy/1.0` */
  readonly agent: string;
  /** names this conversation in logs */
  readonly sessionId: string;
}

/**
 * The refs and capabilities of v0 and v1, as framed chunks of about 64 KB, the last ends with a flush.
 * upload-pack offers HEAD first and tags peeled (`<name>^{}`), receive-pack the plain refs. A repository without refs
 * offers the null oid under the name `capabilities^{}`. Source: gitprotocol-pack(5).
 */
export function* advertiseRefs(advertisement: RefAdvertisement): Generator<Uint8Array> {
  const { version, service, format, refs, head } = advertisement;
  const upload = service === "git-upload-pack";
  const target = upload ? refs.find((ref) => ref.name === head) : undefined;
  const out = new PacketWriter();
  let list = `\0${capabilityList(advertisement, target !== undefined).join(" ")}`;
  const put = (oid: string, name: string): void => {
    out.line(`${oid} ${name}${list}`);
    list = "";
  };
  if (version === 1) {
    out.line("version 1");
  }
  if (target !== undefined) {
    put(target.oid, "HEAD");
  }
  for (const { name, oid, peeled } of refs) {
    put(oid, name);
    if (upload && peeled !== null) {
      put(peeled, `${name}^{}`);
    }
    if (out.length > 60_000) {
      yield out.take();
    }
  }
  if (list !== "") {
    put(format.zeroHex, "capabilities^{}");
  }
  yield out.flush().take();
}

function capabilityList({ service, format, head, agent, sessionId }: RefAdvertisement, headExists: boolean): string[] {
  const common = [
    ["object-format", format.name],
    ["agent", agentValue(agent)],
    ["session-id", sessionId],
  ] as const;
  if (service === "git-receive-pack") {
    const flags = [
      "report-status",
      "report-status-v2",
      "delete-refs",
      "side-band-64k",
      "quiet",
      "atomic",
      "ofs-delta",
      "push-options",
    ];
    return [...flags, ...writeCapabilities(common)];
  }
  const flags = [
    "multi_ack",
    "thin-pack",
    "side-band",
    "side-band-64k",
    "ofs-delta",
    "shallow",
    "deepen-since",
    "deepen-not",
    "deepen-relative",
    "no-progress",
    "include-tag",
    "multi_ack_detailed",
    "no-done",
    "allow-tip-sha1-in-want",
    "allow-reachable-sha1-in-want",
    "filter",
  ];
  return [...flags, ...writeCapabilities([...(headExists ? [["symref", `HEAD:${head}`] as const] : []), ...common])];
}

/** Returns the capability advertisement of v2, which lists commands instead of refs. */
export function advertiseCommands({
  format,
  agent,
  sessionId,
}: Pick<RefAdvertisement, "format" | "agent" | "sessionId">): Uint8Array {
  const lines: [string, string | true][] = [
    ["agent", agentValue(agent)],
    ["ls-refs", "unborn"],
    ["fetch", "shallow wait-for-done filter ref-in-want sideband-all"],
    ["object-format", format.name],
    ["object-info", true],
    ["session-id", sessionId],
  ];
  const out = new PacketWriter().line("version 2");
  for (const line of writeCapabilities(lines)) {
    out.line(line);
  }
  return out.flush().take();
}
