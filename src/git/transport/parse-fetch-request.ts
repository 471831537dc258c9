import type { ObjectFormat } from "../objects/object-format.ts";
import { isOid } from "../objects/oid.ts";
import { OidList } from "../objects/oid-list.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { type Capabilities, type ClientDescription, describeClient, parseCapabilities } from "../wire/capabilities.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { sideband64k } from "../wire/sideband.ts";
import { parseFilter, type FilterRequest } from "./parse-filter.ts";
import type { Deepen, FetchLimits, FetchRequest } from "./fetch-request.ts";

/*
 * v0 and v1: `want <oid>[ capabilities]`…, `shallow <oid>`…, `deepen…`, flush, then `have <oid>`… and a flush or `done`.
 * v2: the same words in any order as arguments of one command, options each on a line of their own, then a flush.
 * Sources: gitprotocol-pack(5), gitprotocol-v2(5).
 */

const wantStart = Buffer.from("want ");

/** The lines that both versions collect. */
class RequestLines {
  readonly wants: OidList;
  readonly haves: string[] = [];
  readonly shallow = new Set<string>();
  readonly #not: string[] = [];
  #depth: number | null = null;
  #since: number | null = null;
  filter: FilterRequest | null = null;

  constructor(
    readonly format: ObjectFormat,
    readonly limits: FetchLimits,
  ) {
    this.wants = new OidList(format);
  }

  /** Takes the next lines that want something, as far as they have come: there may be thousands. */
  takeReadyWants(reader: PacketReader): void {
    reader.readyOids(wantStart, this.wants);
    this.#bounded("wants", this.wants.count);
  }

  /** Takes a line that both versions know in the same form; false when it is none of them. */
  take(line: string): boolean {
    const space = line.indexOf(" ");
    const value = line.slice(space + 1);
    switch (space < 0 ? "" : line.slice(0, space)) {
      case "want":
        this.wants.addHex(this.#oid(value));
        return this.#bounded("wants", this.wants.count);
      case "have":
        this.haves.push(this.#oid(value));
        return this.#bounded("haves", this.haves.length);
      case "shallow":
        this.shallow.add(this.#oid(value));
        return this.#bounded("shallow", this.shallow.size);
      case "deepen":
        this.#depth = positiveNumber(value, line);
        return true;
      case "deepen-since":
        this.#since = positiveNumber(value, line);
        return true;
      case "deepen-not":
        this.#not.push(value);
        return this.#bounded("wants", this.#not.length);
      case "filter":
        if (this.filter !== null) {
          throw new ProtocolError("git upload-pack: multiple filter-specs cannot be combined");
        }
        this.filter = parseFilter(value);
        return true;
      default:
        return false;
    }
  }

  deepen(relative: boolean): Deepen | null {
    const bounded = this.#since !== null || this.#not.length > 0;
    if (this.#depth !== null && bounded) {
      throw new ProtocolError("git upload-pack: deepen and deepen-since (or deepen-not) cannot be used together");
    }
    if (bounded) {
      return { kind: "bounded", since: this.#since, not: this.#not };
    }
    return this.#depth === null ? null : { kind: "depth", commits: this.#depth, relative };
  }

  #oid(text: string): string {
    if (!isOid(text, this.format)) {
      throw new ProtocolError(`git upload-pack: protocol error, expected to get oid, not '${text.slice(0, 80)}'`);
    }
    return text;
  }

  #bounded(list: keyof FetchLimits, count: number): true {
    if (count > this.limits[list]) {
      throw new ProtocolError(`git upload-pack: more than ${this.limits[list]} ${list} lines`);
    }
    return true;
  }
}

function positiveNumber(text: string, line: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value <= 0) {
    throw new ProtocolError(`git upload-pack: invalid number in '${line.slice(0, 80)}'`);
  }
  return value;
}

/** A client that does not say which object format it uses means sha1. Throws ProtocolError on a mismatch. */
export function requireObjectFormat(capabilities: Capabilities, format: ObjectFormat): void {
  const asked = capabilities.find("object-format") ?? "sha1";
  if (asked !== format.name) {
    throw new ProtocolError(`mismatched object format: server ${format.name}, client ${asked.slice(0, 40)}`);
  }
}

/** A v0 or v1 request, and who sent it. */
export interface ClientRequest {
  readonly request: FetchRequest;
  readonly client: ClientDescription;
}

/** Reads a whole v0 or v1 request, as it comes over stateless HTTP; null when the client wants nothing. Throws ProtocolError. */
export async function parseFetchRequestV0(
  reader: PacketReader,
  format: ObjectFormat,
  limits: FetchLimits,
): Promise<ClientRequest | null> {
  const wanted = await parseWants(reader, format, limits);
  return wanted === null
    ? null
    : { client: wanted.client, request: { ...wanted.request, ...(await parseHaves(reader, format, limits)) } };
}

/**
 * Reads the first part of a v0 or v1 request: wants, boundaries and options, up to and with the flush. There are no haves
 * in the result yet. null when the client wants nothing. Throws ProtocolError.
 */
export async function parseWants(
  reader: PacketReader,
  format: ObjectFormat,
  limits: FetchLimits,
): Promise<ClientRequest | null> {
  const lines = new RequestLines(format, limits);
  let capabilities = parseCapabilities("");
  for (
    let next = await reader.nextLine();
    !("mark" in next && (next.mark === "flush" || next.mark === "end"));
    next = reader.readyLine() ?? (await reader.nextLine())
  ) {
    let line = "line" in next ? next.line : "";
    const listAt = 5 + format.hexLength;
    if (lines.wants.count === 0 && line.startsWith("want ") && line.charAt(listAt) === " ") {
      capabilities = parseCapabilities(line.slice(listAt + 1));
      line = line.slice(0, listAt);
    }
    if (line.startsWith("have ") || !lines.take(line)) {
      throw new ProtocolError(`git upload-pack: unexpected line '${line.slice(0, 80)}'`);
    }
    lines.takeReadyWants(reader);
  }
  if (lines.wants.count === 0) {
    return null;
  }
  if (lines.filter !== null && !capabilities.has("filter")) {
    throw new ProtocolError("git upload-pack: filtering capability not negotiated");
  }
  // git's v0 client does not say which format it uses; its oids have shown that by now.
  if (capabilities.has("object-format")) {
    requireObjectFormat(capabilities, format);
  }
  const request: FetchRequest = {
    version: 0,
    wants: lines.wants.pack(),
    wantedRefs: [],
    haves: [],
    ending: "end",
    shallow: [...lines.shallow],
    deepen: lines.deepen(capabilities.has("deepen-relative")),
    filter: lines.filter,
    acknowledge: capabilities.has("multi_ack_detailed")
      ? "detailed"
      : capabilities.has("multi_ack")
        ? "multi"
        : "single",
    noDone: capabilities.has("no-done"),
    waitForDone: false,
    sideband: capabilities.has("side-band-64k") ? sideband64k : capabilities.has("side-band") ? 1000 : 0,
    sidebandAll: false,
    thinPack: capabilities.has("thin-pack"),
    ofsDelta: capabilities.has("ofs-delta"),
    noProgress: capabilities.has("no-progress"),
    includeTag: capabilities.has("include-tag"),
  };
  return { request, client: describeClient(capabilities) };
}

/**
 * Reads the haves of one round in v0 and v1: up to a flush or `done`, or to the end of the stream where the client sends
 * none. A stateless request has one round, since the client sends everything again with its next one.
 */
export async function parseHaves(
  reader: PacketReader,
  format: ObjectFormat,
  limits: FetchLimits,
): Promise<Pick<FetchRequest, "haves" | "ending">> {
  const lines = new RequestLines(format, limits);
  for (;;) {
    const next = reader.readyLine() ?? (await reader.nextLine());
    if ("mark" in next) {
      if (next.mark === "flush" || (next.mark === "end" && lines.haves.length === 0)) {
        return { haves: lines.haves, ending: next.mark };
      }
      throw new ProtocolError("git upload-pack: the request ended among its have lines");
    }
    if (next.line === "done") {
      return { haves: lines.haves, ending: "done" };
    }
    if (!next.line.startsWith("have ") || !lines.take(next.line)) {
      throw new ProtocolError(`git upload-pack: expected oid list, got '${next.line.slice(0, 80)}'`);
    }
  }
}

/** Reads the arguments of the v2 command `fetch`, up to and with the flush. Throws ProtocolError. */
export async function parseFetchArguments(
  reader: PacketReader,
  format: ObjectFormat,
  limits: FetchLimits,
): Promise<FetchRequest> {
  const lines = new RequestLines(format, limits);
  const options = new Set<string>();
  const wantedRefs = new Set<string>();
  for (let next = await reader.nextLine(); !("mark" in next); next = reader.readyLine() ?? (await reader.nextLine())) {
    if (lines.take(next.line)) {
      lines.takeReadyWants(reader);
      continue;
    }
    if (next.line.startsWith("want-ref ")) {
      wantedRefs.add(next.line.slice("want-ref ".length));
      if (wantedRefs.size > limits.wants) {
        throw new ProtocolError(`git upload-pack: more than ${limits.wants} want-ref lines`);
      }
      continue;
    }
    if (!fetchOptions.has(next.line)) {
      throw new ProtocolError(`unexpected line: '${next.line.slice(0, 80)}'`);
    }
    options.add(next.line);
  }
  return {
    version: 2,
    wants: lines.wants.pack(),
    wantedRefs: [...wantedRefs],
    haves: lines.haves,
    ending: options.has("done") ? "done" : "flush",
    shallow: [...lines.shallow],
    deepen: lines.deepen(options.has("deepen-relative")),
    filter: lines.filter,
    acknowledge: "detailed",
    noDone: false,
    waitForDone: options.has("wait-for-done"),
    sideband: sideband64k,
    sidebandAll: options.has("sideband-all"),
    thinPack: options.has("thin-pack"),
    ofsDelta: options.has("ofs-delta"),
    noProgress: options.has("no-progress"),
    includeTag: options.has("include-tag"),
  };
}

const fetchOptions: ReadonlySet<string> = new Set([
  "done",
  "wait-for-done",
  "sideband-all",
  "deepen-relative",
  "thin-pack",
  "ofs-delta",
  "no-progress",
  "include-tag",
]);
