import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { Socket } from "node:net";
import { Duplex, Writable } from "node:stream";
import type { ServerChannel } from "ssh2";
import { until } from "../../test/support/until.ts";
import { Conversation } from "./conversation.ts";

/** A channel whose client takes everything at once, as far as its window goes, which it never makes larger. */
function greedyChannel(window = 2 ** 21): { channel: ServerChannel; taken: () => number } {
  let bytes = 0;
  const channel = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      outgoing.window -= chunk.length;
      if (outgoing.window >= 0) {
        done();
      }
    },
  });
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const outgoing = { window, packetSize: 32768, state: "open" };
  return {
    channel: Object.assign(channel, { stderr, outgoing, close: () => {}, exit: () => {} }) as unknown as ServerChannel,
    taken: () => bytes,
  };
}

test("others have their turn between any two pieces of what is sent", async () => {
  const { channel, taken } = greedyChannel();
  const conversation = new Conversation(channel, new Socket(), { idleMs: 60_000, roundTripMs: 0 });
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

test("a client that has allowed 2 GB at once is not asked for more before that is used up", async () => {
  const { channel, taken } = greedyChannel(2 ** 31 - 1);
  const conversation = new Conversation(channel, new Socket(), { idleMs: 60_000, roundTripMs: 0 });
  for (let piece = 0; piece < 12; piece++) {
    await conversation.write(new Uint8Array(2 ** 20));
  }
  expect(taken()).toBe(12 * 2 ** 20);
  conversation.finish(0);
});

test("while new keys are agreed on, one piece waits in the library, and the next one here", async () => {
  const { channel, taken } = greedyChannel();
  const client = Object.assign(new EventEmitter(), { _protocol: { _queue: undefined as unknown[] | undefined } });
  const conversation = new Conversation(Object.assign(channel, { _client: client }), new Socket(), {
    idleMs: 60_000,
    roundTripMs: 0,
  });
  await conversation.write(new Uint8Array(1000));
  client._protocol._queue = ["a message"];
  const next = conversation.write(new Uint8Array(1000));
  client.emit("handshake");
  // Asked for again before it was over.
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(taken()).toBe(1000);
  client._protocol._queue = undefined;
  client.emit("handshake");
  await next;
  expect(taken()).toBe(2000);
  client._protocol._queue = ["a message"];
  const never = conversation.write(new Uint8Array(1000));
  conversation.leave("on purpose");
  await expect(never).rejects.toThrow("on purpose");
});

describe("a client far away that has used up its window", () => {
  const window = 2 ** 21;
  const step = 2 ** 16;
  const piece = 2 ** 18;

  /** A conversation in which that has just happened, with two pieces to come. */
  async function usedUp(
    windowBytes = window,
  ): Promise<{ conversation: Conversation; open: (bytes: number) => void; sent: () => number; rest: Promise<void> }> {
    const { channel, taken } = greedyChannel(windowBytes);
    const conversation = new Conversation(channel, new Socket(), { idleMs: 60_000, roundTripMs: Infinity });
    await conversation.write(new Uint8Array(windowBytes));
    const { outgoing } = channel as unknown as { outgoing: { window: number } };
    expect(outgoing.window).toBe(0);
    const open = (bytes: number): void => {
      outgoing.window += bytes;
      conversation.heard();
      expect(outgoing.window).toBeGreaterThanOrEqual(0);
    };
    const rest = conversation.write(new Uint8Array(2 * piece));
    await nextTurn();
    return { conversation, open, sent: () => taken() - windowBytes, rest };
  }

  test("is sent the next piece when it has opened an eighth of it again, not with each part", async () => {
    const { conversation, open, sent, rest } = await usedUp();
    for (let opened = step; opened < piece; opened += step) {
      open(step);
      expect(sent()).toBe(0);
    }
    open(step);
    await nextTurn();
    expect(sent()).toBe(piece);
    open(window);
    await rest;
    expect(sent()).toBe(2 * piece);
    conversation.finish(0);
  });

  test("is sent what it takes if it opens no more for a while", async () => {
    const { conversation, open, sent, rest } = await usedUp();
    open(step);
    expect(sent()).toBe(0);
    await until("the first part is sent", () => sent() === step);
    open(2 * piece);
    await rest;
    expect(sent()).toBe(2 * piece);
    conversation.finish(0);
  });

  test("waits for less if its window is small", async () => {
    const { conversation, open, sent, rest } = await usedUp(8 * 1024);
    open(1000);
    expect(sent()).toBe(0);
    open(24);
    await nextTurn();
    expect(sent()).toBe(1024);
    open(2 * piece);
    await rest;
    conversation.finish(0);
  });

  test("is sent nothing more when it has left", async () => {
    const { conversation, open, sent, rest } = await usedUp();
    conversation.leave("on purpose");
    await expect(rest).rejects.toThrow("on purpose");
    open(window);
    await nextTurn();
    expect(sent()).toBe(0);
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
