import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { refuse } from "./refuse.ts";

const line = "SSH-2.0-test\r\n";

function client(): { socket: Socket; heard: () => Buffer } {
  const chunks: Buffer[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { socket: socket as Socket, heard: () => Buffer.concat(chunks) };
}

test.each(["", "Wait", "Too many connections: try again later", "ä".repeat(300)])(
  "who is refused hears why, as the protocol has it: %j",
  (reason) => {
    const { socket, heard } = client();
    refuse(socket, line, reason);
    expect(heard().subarray(0, line.length).toString()).toBe(line);
    const packet = heard().subarray(line.length);
    const padding = packet.readUInt8(4);
    expect(packet.length % 8).toBe(0);
    expect(packet.readUInt32BE(0)).toBe(packet.length - 4);
    expect(padding).toBeGreaterThanOrEqual(4);
    const payload = packet.subarray(5, packet.length - padding);
    expect([payload.readUInt8(0), payload.readUInt32BE(1)]).toEqual([1, 12]);
    const length = payload.readUInt32BE(5);
    expect(payload.subarray(9, 9 + length).toString()).toBe(reason);
    expect(payload.subarray(9 + length)).toEqual(Buffer.alloc(4));
    socket.destroy();
  },
);

test("a crowd of clients that do not leave is not waited for", async () => {
  const crowd = Array.from({ length: 100 }, client);
  crowd.forEach(({ socket }) => refuse(socket, line, "no"));
  const late = client();
  refuse(late.socket, line, "no");
  expect(late.socket.destroyed).toBe(true);
  expect(late.heard().length).toBe(0);
  await Promise.all(
    crowd.map(({ socket }) => new Promise<void>((resolve) => socket.once("close", () => resolve()).destroy())),
  );
  const next = client();
  refuse(next.socket, line, "no");
  expect(next.heard().length).toBeGreaterThan(0);
  next.socket.destroy();
});
