import { expect, test } from "bun:test";
import { sha1 } from "../objects/object-format.ts";
import { OidList } from "../objects/oid-list.ts";
import { agentValue, parseCapabilities, writeCapabilities } from "./capabilities.ts";
import { PacketReader } from "./packet-reader.ts";
import { PacketWriter } from "./packet-writer.ts";
import { maxPacketBytes, packetLine, type Packet, packetText } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";
import { Sideband, sidebandPackets } from "./sideband.ts";

async function* chunked(bytes: Uint8Array | string, size: number): AsyncGenerator<Uint8Array> {
  const all = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  for (let at = 0; at < all.length; at += size) {
    yield all.slice(at, at + size);
  }
}

async function readAll(reader: PacketReader): Promise<string[]> {
  const out: string[] = [];
  for (let packet: Packet | null = await reader.next(); packet !== null; packet = await reader.next()) {
    out.push(typeof packet === "string" ? `<${packet}>` : packetText(packet));
  }
  return out;
}

test("what the writer writes the reader reads, however it is cut", async () => {
  const long = "é".repeat(20_000);
  const bytes = new PacketWriter()
    .line("want x")
    .delimiter()
    .data(new Uint8Array(0))
    .line(long)
    .flush()
    .responseEnd()
    .take();
  for (const size of [1, 3, 7, 4096, bytes.length]) {
    expect(await readAll(new PacketReader(chunked(bytes, size)))).toEqual([
      "want x",
      "<delimiter>",
      "",
      long,
      "<flush>",
      "<response-end>",
    ]);
  }
});

test("lines that have come are read without waiting, and the others are waited for", async () => {
  const bytes = new PacketWriter().line("want x").delimiter().line("done").flush().responseEnd().take();
  for (const size of [1, 3, 7, 12, bytes.length]) {
    const reader = new PacketReader(chunked(bytes, size));
    const lines: object[] = [];
    let waits = 0;
    const wait = () => {
      waits++;
      return reader.nextLine();
    };
    for (
      let next = await wait();
      !("mark" in next && next.mark === "end");
      next = reader.readyLine() ?? (await wait())
    ) {
      lines.push(next);
    }
    expect(lines).toEqual([
      { line: "want x" },
      { mark: "delimiter" },
      { line: "done" },
      { mark: "flush" },
      { mark: "response-end" },
    ]);
    // The first and the end, when everything comes at once.
    expect(waits === 2).toBe(size === bytes.length);
  }
  const limited = new PacketReader(chunked("0006ab0006cd0009longer", 100), { packetBytes: 8, totalBytes: 12 });
  expect(await limited.nextLine()).toEqual({ line: "ab" });
  expect(limited.readyLine()).toEqual({ line: "cd" });
  expect(limited.readyLine()).toBeNull();
});

test("oids that have come are read without a line for each, up to what is something else", async () => {
  const [first, second, third] = ["a".repeat(40), "b".repeat(40), "c".repeat(40)] as const;
  const read = async (text: string, limits: { packetBytes?: number; totalBytes?: number } = {}) => {
    const reader = new PacketReader(chunked(`0006go${text}`, 10_000), limits);
    await reader.nextLine();
    const oids = new OidList(sha1);
    reader.readyOids(Buffer.from("want "), oids);
    return [
      Buffer.from(oids.pack()).toString("hex"),
      await reader.nextLine().catch((error: unknown) => (error instanceof ProtocolError ? "refused" : error)),
    ];
  };
  const [a, b, c] = [`0032want ${first}\n`, `0031want ${second}`, `0032want ${third}\n`];
  expect(await read(`${a}${b}${c}0009done\n`)).toEqual([first + second + third, { line: "done" }]);
  expect(await read(`${a}0000${b}`)).toEqual([first, { mark: "flush" }]);
  for (const other of [
    `want ${second.toUpperCase()}`,
    `want ${second.slice(1)}`,
    `have ${second}`,
    `want ${second} thin-pack`,
    `want ${second}x`,
    `want x${second.slice(1)}`,
  ]) {
    const packet = Buffer.from(packetLine(other)).toString();
    expect(await read(a + packet + c)).toEqual([first, { line: other }]);
  }
  expect(await read(`${a}${b.slice(0, -1)}`)).toEqual([first, "refused"]);
  expect(await read(a + c, { totalBytes: 6 + 50 + 49 })).toEqual([first, "refused"]);
  expect(await read(b + a, { packetBytes: 49 })).toEqual([second, "refused"]);
});

test("the rest of the stream is handed over untouched", async () => {
  for (const size of [1, 5, 100]) {
    const reader = new PacketReader(chunked("0006a\n0000PACKrest", size));
    expect(await reader.nextLine()).toEqual({ line: "a" });
    expect(await reader.nextLine()).toEqual({ mark: "flush" });
    const rest = await Array.fromAsync(reader.rest(), (chunk) => Buffer.from(chunk).toString());
    expect(rest.join("")).toBe("PACKrest");
  }
});

test.each(["zzzz", "0003", "00", "0009abc", "-001", "ffffx", "0x10", "00 5a", "fff1"])(
  "hostile input %p is a protocol error",
  async (text) => {
    await expect(readAll(new PacketReader(chunked(text, 2)))).rejects.toBeInstanceOf(ProtocolError);
  },
);

test("packets and requests over the limits are refused", async () => {
  await expect(readAll(new PacketReader(chunked("000aabcdef", 100), { packetBytes: 9 }))).rejects.toThrow(
    "longer than the 9",
  );
  await expect(readAll(new PacketReader(chunked("0006ab0006ab0006ab", 100), { totalBytes: 14 }))).rejects.toThrow(
    "more than 14",
  );
  expect(() => packetLine(new Uint8Array(maxPacketBytes - 3))).toThrow(RangeError);
  expect(() => new PacketWriter().data(new Uint8Array(maxPacketBytes - 3))).toThrow(RangeError);
  expect(packetLine(new Uint8Array(maxPacketBytes - 4)).length).toBe(maxPacketBytes);
});

test("a line that is not UTF-8 is refused", () => {
  expect(() => packetText(Uint8Array.of(0xff, 0x41))).toThrow(ProtocolError);
});

test("sideband packets carry all bytes in packets of the size agreed", async () => {
  const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index & 255);
  const packets: Uint8Array[] = [];
  const reader = new PacketReader(chunked(sidebandPackets(Sideband.data, bytes, 1000), 700));
  for (let packet = await reader.next(); packet instanceof Uint8Array; packet = await reader.next()) {
    expect(packet[0]).toBe(1);
    expect(packet.length).toBeLessThanOrEqual(996);
    packets.push(packet.slice(1));
  }
  expect(Buffer.concat(packets).equals(bytes)).toBe(true);
  expect(Buffer.from(sidebandPackets(Sideband.data, "", 65520)).toString()).toBe("0005\x01");
});

test("capabilities: parsed, written, bounded", () => {
  const capabilities = parseCapabilities(" multi_ack symref=HEAD:refs/heads/main symref=a:b agent=git/2=1 ");
  expect(capabilities.has("multi_ack")).toBe(true);
  expect(capabilities.find("multi_ack")).toBeNull();
  expect(capabilities.all("symref")).toEqual(["HEAD:refs/heads/main", "a:b"]);
  expect(capabilities.find("agent")).toBe("git/2=1");
  expect(capabilities.names()).toEqual(["multi_ack", "symref", "agent"]);
  expect(
    writeCapabilities([
      ["ofs-delta", true],
      ["agent", "x"],
    ]),
  ).toEqual(["ofs-delta", "agent=x"]);
  expect(() => parseCapabilities("a ".repeat(1000))).toThrow(ProtocolError);
  expect(agentValue("a b\n")).toBe("a.b.");
});
