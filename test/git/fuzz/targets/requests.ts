import { sha1 } from "../../../../src/git/objects/object-format.ts";
import { RepositoryReader } from "../../../../src/git/graph/repository-reader.ts";
import { EngineCaches } from "../../../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../../../src/git/odb/object-database.ts";
import type { Ref } from "../../../../src/git/refs/ref.ts";
import type { FetchLimits } from "../../../../src/git/transport/fetch-request.ts";
import { fetchPack } from "../../../../src/git/transport/fetch-pack.ts";
import { writeRefs } from "../../../../src/git/transport/ls-refs.ts";
import { parseCommand, type Command } from "../../../../src/git/transport/parse-command.ts";
import { parseFetchRequestV0 } from "../../../../src/git/transport/parse-fetch-request.ts";
import { parsePushCommands } from "../../../../src/git/transport/push-request.ts";
import { resolveFetch } from "../../../../src/git/transport/resolve-fetch.ts";
import { PacketReader } from "../../../../src/git/wire/packet-reader.ts";
import { delimiterPacket, flushPacket, packetLine } from "../../../../src/git/wire/pkt-line.ts";
import { sealed } from "../../raw-pack.ts";
import { generateHistory } from "../../generated-history.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";
import { inOne, outcome, packetsOf, pieces } from "./wire.ts";

const limits: FetchLimits = { wants: 20, haves: 30, shallow: 20 };
const oids = ["1", "2", "ab", "0"].map((digits) => digits.repeat(40).slice(0, 40));

type Line = string | "0000" | "0001";

function request(...lines: readonly Line[]): Buffer {
  return Buffer.concat(
    lines.map((line) => (line === "0000" ? flushPacket : line === "0001" ? delimiterPacket : packetLine(`${line}\n`))),
  );
}

/** Requests as clients send them, about these objects. */
function requestsV0([a = "", b = "", c = ""]: readonly string[]): Buffer[] {
  const capabilities =
    "multi_ack_detailed no-done side-band-64k thin-pack include-tag ofs-delta deepen-since deepen-not agent=git/2.39.5";
  return [
    request(`want ${a} ${capabilities}`, `want ${b}`, "0000", "done"),
    request(`want ${a} multi_ack side-band`, `shallow ${c}`, "deepen 3", "0000", `have ${b}`, `have ${c}`, "0000"),
    request(
      `want ${a} deepen-relative`,
      "deepen-since 1700000000",
      "deepen-not refs/heads/b3",
      "0000",
      `have ${c}`,
      "done",
    ),
    request(`want ${a} no-progress`, "0000", `have ${c}`, "0000"),
  ];
}

function requestsV2([a = "", b = "", c = ""]: readonly string[]): Buffer[] {
  return [
    request(
      "command=fetch",
      "agent=git/2.39.5",
      "object-format=sha1",
      "0001",
      "thin-pack",
      "ofs-delta",
      "include-tag",
      `want ${a}`,
      `want ${b}`,
      `have ${c}`,
      "done",
      "0000",
    ),
    request(
      "command=fetch",
      "0001",
      `want ${a}`,
      `shallow ${c}`,
      "deepen 2",
      "deepen-relative",
      `have ${b}`,
      "wait-for-done",
      "0000",
    ),
    request(
      "command=fetch",
      "0001",
      `want ${a}`,
      "deepen-since 1700000000",
      "deepen-not refs/heads/b3",
      "no-progress",
      "done",
      "0000",
    ),
    request(
      "command=fetch",
      "0001",
      `want ${a}`,
      "filter tree:1",
      "want-ref refs/heads/main",
      "sideband-all",
      "done",
      "0000",
    ),
    request(
      "command=fetch",
      "0001",
      `want ${a}`,
      "filter combine:blob:limit=10+object:type=blob",
      "packfile-uris https",
      "done",
      "0000",
    ),
    request(
      "command=ls-refs",
      "agent=git/2.39.5",
      "0001",
      "peel",
      "symrefs",
      "unborn",
      "ref-prefix HEAD",
      "ref-prefix refs/heads/",
      "0000",
    ),
    request("command=object-info", "0001", "size", `oid ${a}`, "0000"),
  ];
}

function words([a = "", b = ""]: readonly string[]): Buffer[] {
  const lines = [
    "done",
    "thin-pack",
    "ofs-delta",
    "include-tag",
    "wait-for-done",
    "deepen 1",
    "deepen 2147483647",
    "deepen 0",
    "deepen-since 1",
    "deepen-not refs/heads/main",
    "deepen-relative",
    `want ${a}`,
    `have ${b}`,
    `have ${a}`,
    `shallow ${a}`,
  ];
  const more = [
    "filter blob:none",
    "filter blob:limit=1k",
    "filter tree:0",
    "filter object:type=commit",
    `filter sparse:oid=${a}`,
    "filter combine:tree:2+blob:none",
    "want-ref refs/heads/main",
    "sideband-all",
    "command=fetch",
    "object-format=sha256",
  ];
  return [
    ...[...lines, ...more].map((line) => Buffer.from(packetLine(line))),
    Buffer.from("0000"),
    Buffer.from("0001"),
    Buffer.from(a),
    Buffer.from("0".repeat(40)),
    Buffer.from("\0"),
    Buffer.from([0xff]),
  ];
}

/** Read twice, in other pieces: the same must come of it, and no more than the limits allow. */
function parser(
  name: string,
  seeds: readonly Buffer[],
  extra: readonly Buffer[],
  parse: (source: AsyncIterable<Uint8Array>) => Promise<unknown>,
): FuzzTarget {
  const dictionary = [...words(oids), ...extra];
  return {
    name,
    make: (random) => mutate(random, seeds[random.below(seeds.length)]!, dictionary),
    async run(input): Promise<Verdict> {
      const first = await outcome(() => parse(inOne(input)));
      expectSame("In other pieces", await outcome(() => parse(pieces(input))), first);
      return "value" in first ? "taken" : "refused";
    },
    [Symbol.dispose]: () => {},
  };
}

function checkBounded(
  read: { wants?: Uint8Array; haves?: readonly string[]; shallow?: readonly string[] } | null,
): void {
  const counts = {
    wants: (read?.wants?.length ?? 0) / sha1.oidBytes,
    haves: read?.haves?.length ?? 0,
    shallow: read?.shallow?.length ?? 0,
  };
  for (const list of ["wants", "haves", "shallow"] as const) {
    if (counts[list] > limits[list]) {
      throw new WrongAnswer(`There are ${counts[list]} ${list}`);
    }
  }
}

export function fetchRequestV0(): FuzzTarget {
  return parser("fetch-v0", requestsV0(oids), [], async (source) => {
    const read = await parseFetchRequestV0(new PacketReader(source, { totalBytes: 100_000 }), sha1, limits);
    checkBounded(read?.request ?? null);
    return read;
  });
}

export function fetchRequestV2(): FuzzTarget {
  return parser("fetch-v2", requestsV2(oids), [], async (source) => {
    const read = await parseCommand(new PacketReader(source, { totalBytes: 100_000 }), sha1, limits);
    checkBounded(read?.command === "fetch" ? read.request : null);
    return read;
  });
}

export function pushRequest(): FuzzTarget {
  const [a = "", b = "", , zero = ""] = oids;
  const capabilities =
    "report-status-v2 side-band-64k atomic ofs-delta push-options object-format=sha1 agent=git/2.39.5";
  const pack = Buffer.from("PACK\0\0\0\u0002\0\0\0\0and what follows", "latin1");
  const seeds = [
    Buffer.concat([request(`${zero} ${a} refs/heads/main\0 ${capabilities}`, "0000", "option", "0000"), pack]),
    Buffer.concat([
      request(`${a} ${b} refs/heads/main\0report-status`, `${b} ${zero} refs/tags/v1`, `shallow ${a}`, "0000"),
      pack,
    ]),
    request(`${a} ${zero} refs/heads/gone\0`, "0000"),
    request(
      "push-cert\0report-status",
      "certificate version 0.1",
      `${a} ${b} refs/heads/main`,
      "push-cert-end",
      "0000",
    ),
  ];
  const extra = [
    `${a} ${b} refs/heads/main`,
    `${zero} ${zero} refs/heads/nothing`,
    `${a} ${b} `,
    "push-cert",
    "push-options",
  ].map((line) => Buffer.from(packetLine(line)));
  return parser("push-request", seeds, extra, async (source) => {
    const {
      rest,
      capabilities: found,
      ...read
    } = await parsePushCommands(source, sha1, {
      commands: 10,
      pushOptions: 3,
      lineBytes: 1000,
      commandBytes: 100_000,
      packBytes: 1e6,
      seconds: 60,
    });
    const parts: Uint8Array[] = [];
    for await (const part of rest) {
      parts.push(part.slice());
    }
    return { ...read, capabilities: found.names().map((name) => [name, found.all(name)]), rest: Buffer.concat(parts) };
  });
}

/** Whole conversations with upload-pack about a small history: whatever is asked, what comes back is well formed. */
export function uploadPack(): FuzzTarget {
  const history = generateHistory(60);
  const caches = new EngineCaches(8 * 1024 * 1024);
  const reader = new RepositoryReader(ObjectDatabase.open(sha1, history.packs, caches), true);
  const refs: Ref[] = history
    .git("for-each-ref", "--format=%(objectname) %(refname)")
    .split("\n")
    .map((line) => ({ oid: line.slice(0, 40), name: line.slice(41), peeled: null }));
  const tips = refs.map(({ oid }) => oid);
  const [tree = "", blob = ""] = ["main^{tree}", "main:README.md"].map((name) => history.git("rev-parse", name));
  const about = [
    [tips[40]!, tips[10]!, tips[5]!],
    [tips[59]!, tree, tips[20]!],
    [blob, tips[3]!, tree],
  ];
  const seeds = about.flatMap((some) => [
    ...requestsV0(some).map((bytes) => ({ version: 0, bytes })),
    ...requestsV2(some).map((bytes) => ({ version: 2, bytes })),
  ]);
  const dictionary = [
    ...about.flatMap(words),
    ...tips
      .slice(0, 60)
      .flatMap((oid) => [
        Buffer.from(packetLine(`want ${oid}`)),
        Buffer.from(packetLine(`have ${oid}`)),
        Buffer.from(oid),
      ]),
  ];
  const answer = async (input: Uint8Array): Promise<Buffer> => {
    const packets = new PacketReader(inOne(input.subarray(1)), { totalBytes: 100_000 });
    const command: Command | null =
      input[0] === 2
        ? await parseCommand(packets, sha1, limits)
        : await parseFetchRequestV0(packets, sha1, limits).then((found) =>
            found === null ? null : { command: "fetch", ...found },
          );
    const chunks =
      command === null
        ? []
        : command.command === "fetch"
          ? fetchPack(reader, structuredClone(resolveFetch(command.request, refs, "refs/heads/main", sha1)), () => 8192)
          : command.command === "ls-refs"
            ? writeRefs(command.request, refs, "refs/heads/main")
            : [];
    const parts: Uint8Array[] = [];
    for (const chunk of chunks) {
      if (chunk !== undefined) {
        parts.push(chunk.slice());
      }
    }
    return Buffer.concat(parts);
  };
  return {
    name: "upload-pack",
    make(random) {
      const { version, bytes } = seeds[random.below(seeds.length)]!;
      return Buffer.concat([Buffer.from([version]), random.below(5) === 0 ? bytes : mutate(random, bytes, dictionary)]);
    },
    async run(input): Promise<Verdict> {
      checkWellFormed(await answer(input));
      return "taken";
    },
    [Symbol.dispose]() {
      reader[Symbol.dispose]();
      caches[Symbol.dispose]();
      history[Symbol.dispose]();
    },
  };
}

/** Packets throughout, or packets and then a bare pack; and the pack, if there is one, has its checksum. */
function checkWellFormed(bytes: Buffer): void {
  const bare = bytes.indexOf("PACK\0\0\0");
  const packets = packetsOf(bytes) ?? (bare >= 4 ? packetsOf(bytes.subarray(0, bare)) : null);
  if (packets === null) {
    throw new WrongAnswer(`The answer is not made of packets: ${bytes.subarray(0, 100).toString("latin1")}`);
  }
  const inBand = packets.flatMap((packet) =>
    typeof packet !== "string" && packet[0] === 1 ? [Buffer.from(packet).subarray(1)] : [],
  );
  // With sideband-all, lines come before it.
  const first = inBand.findIndex((packet) => packet.toString("latin1", 0, 4) === "PACK");
  const pack =
    first >= 0
      ? Buffer.concat(inBand.slice(first))
      : inBand.length > 0
        ? null
        : packetsOf(bytes) === null
          ? bytes.subarray(bare)
          : null;
  if (pack !== null) {
    expectSame("The pack with its checksum", pack, sealed(pack.subarray(0, -20)));
  }
}
