import { StithyError } from "../../../../src/lib/errors.ts";
import { PacketReader } from "../../../../src/git/wire/packet-reader.ts";
import {
  delimiterPacket,
  flushPacket,
  maxPacketBytes,
  packetLine,
  responseEndPacket,
} from "../../../../src/git/wire/pkt-line.ts";
import { Sideband, sidebandPackets, type SidebandSize } from "../../../../src/git/wire/sideband.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";

/** The same bytes in pieces of other sizes; which ones depends on the bytes only, so that a run can be repeated. */
export async function* pieces(input: Uint8Array): AsyncGenerator<Uint8Array> {
  let state = input.length;
  for (let at = 0; at < input.length;) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const size = state % 7 === 0 ? 4096 : 1 + ((state >>> 8) % 9);
    yield input.subarray(at, at + size);
    at += size;
  }
}

export async function* inOne(input: Uint8Array): AsyncGenerator<Uint8Array> {
  yield input;
}

/** What reading came to: a value, or why it was refused. Any error that is not ours goes on. */
export async function outcome<Value>(
  read: () => Promise<Value>,
): Promise<{ value: Value } | { code: string; message: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof StithyError) {
      return { code: error.code, message: error.message };
    }
    throw error;
  }
}

/** Packets as the specification has them, read without any regard for speed; null where the bytes are none. */
export function packetsOf(input: Uint8Array): (string | Buffer)[] | null {
  const bytes = Buffer.from(input);
  const packets: (string | Buffer)[] = [];
  for (let at = 0; at < bytes.length;) {
    const digits = bytes.toString("latin1", at, at + 4);
    const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : 3;
    if (length === 3 || length > maxPacketBytes || at + length > bytes.length) {
      return null;
    }
    packets.push(length < 4 ? ["flush", "delimiter", "response-end"][length]! : bytes.subarray(at + 4, at + length));
    at += Math.max(4, length);
  }
  return packets;
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<(string | Buffer)[]> {
  const reader = new PacketReader(source);
  const packets: (string | Buffer)[] = [];
  for (let next = await reader.next(); next !== null; next = await reader.next()) {
    packets.push(typeof next === "string" ? next : Buffer.from(next));
  }
  return packets;
}

const seeds = [
  Buffer.concat([packetLine("want 1234\n"), flushPacket, packetLine("done\n")]),
  Buffer.concat([
    packetLine("command=fetch"),
    delimiterPacket,
    packetLine(""),
    packetLine("x".repeat(3000)),
    responseEndPacket,
  ]),
  packetLine(new Uint8Array(65_516)),
];
const words = ["0000", "0001", "0002", "0003", "0004", "FFF0", "fff1", "ffff", "00", "+001", " 0a "].map((word) =>
  Buffer.from(word),
);

export function pktLine(): FuzzTarget {
  return {
    name: "pkt-line",
    make: (random) => mutate(random, seeds[random.below(seeds.length - (random.below(10) === 0 ? 0 : 1))]!, words),
    async run(input): Promise<Verdict> {
      const read = await outcome(() => readAll(inOne(input)));
      expectSame("In other pieces", await outcome(() => readAll(pieces(input))), read);
      expectSame("Packets", "value" in read ? read.value : null, packetsOf(input));
      return "value" in read ? "taken" : "refused";
    },
    [Symbol.dispose]: () => {},
  };
}

/** What is sent in sideband packets comes out of them. */
export function sideband(): FuzzTarget {
  return {
    name: "sideband",
    make: (random) => random.bytes(random.below(random.below(20) === 0 ? 140_000 : 3000)),
    run(input): Verdict {
      const [first = 0] = input;
      const size: Exclude<SidebandSize, 0> = first & 1 ? 1000 : 65_520;
      const band = [Sideband.data, Sideband.progress, Sideband.error][first % 3]!;
      const packets = packetsOf(sidebandPackets(band, input, size)) ?? [];
      if (!packets.every((packet) => typeof packet !== "string" && packet[0] === band && packet.length + 4 <= size)) {
        throw new WrongAnswer("A packet has another band, or is too long");
      }
      expectSame(
        "Payload",
        Buffer.concat(packets.map((packet) => Buffer.from(packet).subarray(1))),
        Buffer.from(input),
      );
      return "taken";
    },
    [Symbol.dispose]: () => {},
  };
}
