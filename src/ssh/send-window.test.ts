import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { SendWindow } from "./send-window.ts";

const KiB = 1024;
const piece = 256 * KiB;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** A client to which pieces are sent for as long as they are asked for. */
class Client {
  readonly outgoing: { window: number };
  sent = 0;
  readonly #sending: SendWindow;

  constructor(window: number, roundTripMs = 0) {
    this.outgoing = { window };
    this.#sending = new SendWindow(this.outgoing, roundTripMs);
    this.#next();
  }

  /** It tells that it has read so much. */
  reads(bytes: number): void {
    this.outgoing.window += bytes;
    this.#sending.lookAgain();
  }

  #next(): void {
    this.#sending.whenOpenFor(piece, (allowed) => {
      this.sent += allowed;
      this.outgoing.window -= allowed;
      this.#next();
    });
  }
}

describe("a client that allows 2 MB", () => {
  const window = 2048 * KiB;

  test("is sent the next piece when it has read most of the one before", () => {
    const client = new Client(window);
    expect(client.sent).toBe(piece);
    client.reads(64 * KiB);
    expect(client.sent).toBe(piece);
    client.reads(64 * KiB);
    expect(client.sent).toBe(2 * piece);
    client.reads(128 * KiB);
    expect(client.sent).toBe(2 * piece);
    client.reads(128 * KiB);
    expect(client.sent).toBe(3 * piece);
  });

  test("is waited for as long as it tells that it reads", () => {
    const client = new Client(window);
    client.reads(128 * KiB);
    for (let steps = 0; steps < 8; steps++) {
      jest.advanceTimersByTime(99);
      expect(client.sent).toBe(2 * piece);
      client.reads(8 * KiB);
    }
    jest.advanceTimersByTime(100);
    expect(client.sent).toBeGreaterThan(2 * piece);
  });

  test("and does not tell soon what it has read is sent all of it soon, and is not waited for again", () => {
    const client = new Client(window);
    jest.advanceTimersByTime(20);
    expect(client.sent).toBe(3 * piece);
    jest.advanceTimersByTime(20);
    expect(client.sent).toBe(window);
    client.reads(1024 * KiB);
    expect(client.sent).toBe(window + 1024 * KiB);
  });

  test("and is far away is sent what a fast line carries meanwhile", () => {
    expect(new Client(window, 5).sent).toBe(4 * piece);
    expect(new Client(window, 100).sent).toBe(window);
  });
});

test("a client with a small window is sent what it allows", () => {
  const client = new Client(24 * KiB);
  expect(client.sent).toBe(24 * KiB);
  client.reads(2 * KiB);
  expect(client.sent).toBe(24 * KiB);
  client.reads(1 * KiB);
  expect(client.sent).toBe(27 * KiB);
});

test("nobody is sent anything once it is over", () => {
  const outgoing = { window: 0 };
  const sending = new SendWindow(outgoing, 0);
  let calls = 0;
  sending.whenOpenFor(piece, () => calls++);
  sending.stop();
  outgoing.window = piece;
  sending.lookAgain();
  jest.advanceTimersByTime(100);
  expect(calls).toBe(0);
});
