import { expect, test } from "bun:test";
import { Socket } from "node:net";
import { Duplex, Writable } from "node:stream";
import type { ServerChannel } from "ssh2";
import { Conversation } from "./conversation.ts";

/** A channel whose client takes everything at once. */
function greedyChannel(): { channel: ServerChannel; taken: () => number } {
  let bytes = 0;
  const channel = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done();
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const outgoing = { window: 2 ** 21, packetSize: 32768, state: "open" };
  return { channel: Object.assign(channel, { stderr, outgoing, close: () => {}, exit: () => {} }) as unknown as ServerChannel, taken: () => bytes };
}

test("others have their turn between any two pieces of what is sent", async () => {
  const { channel, taken } = greedyChannel();
  const conversation = new Conversation(channel, new Socket(), 60_000);
  const pieces = 20;
  let turns = 0;
  const count = (): void => {
    turns++;
    if (taken() < pieces * 1000) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  for (let piece = 0; piece < pieces; piece++) {
    await conversation.write(new Uint8Array(1000));
  }
  expect(taken()).toBe(pieces * 1000);
  expect(turns).toBeGreaterThanOrEqual(pieces - 1);
  conversation.finish(0);
});
