import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Writable } from "node:stream";
import { gatherWrites } from "./gather-writes.ts";

/** A socket whose other side takes what is written, or does not. */
class Other extends Writable {
  readonly writes: Buffer[] = [];
  takes = true;
  #takeLater: () => void = () => {};

  constructor() {
    super({ highWaterMark: 1024 });
    gatherWrites(this as unknown as Socket);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // Not copied: what is not taken at once must stay as it is.
    this.writes.push(this.takes ? Buffer.from(chunk) : chunk);
    if (this.takes) {
      done();
    } else {
      this.#takeLater = done;
    }
  }

  takeAgain(): void {
    this.takes = true;
    this.#takeLater();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.writes);
  }
}

/** Until all that was written in this turn has been passed on. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

describe("what is written in one turn", () => {
  test("is passed on as a whole at its end, copied when it was written", async () => {
    const socket = new Other();
    const packet = Buffer.alloc(40_000, 1);
    socket.write("begins ");
    socket.write(packet);
    packet.fill(2);
    socket.write(packet);
    expect(socket.writes).toEqual([]);
    await endOfTurn();
    expect(socket.writes.length).toBe(1);
    expect(
      socket.bytes.equals(Buffer.concat([Buffer.from("begins "), Buffer.alloc(40_000, 1), Buffer.alloc(40_000, 2)])),
    ).toBe(true);
    socket.write("next");
    await endOfTurn();
    expect(socket.writes.length).toBe(2);
  });

  test("is passed on earlier when it is much", async () => {
    const socket = new Other();
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at % 251));
    socket.write(bytes);
    expect(socket.bytes.length).toBeGreaterThan(700_000);
    await endOfTurn();
    expect(socket.bytes.equals(bytes)).toBe(true);
  });

  test("is not mixed with what is written to another one", async () => {
    const [one, other] = [new Other(), new Other()];
    for (const number of [1, 2, 3]) {
      one.write(Buffer.alloc(10, number));
      other.write(Buffer.alloc(20, number));
    }
    await endOfTurn();
    const expected = (length: number): Buffer => Buffer.concat([1, 2, 3].map((number) => Buffer.alloc(length, number)));
    expect(one.bytes.equals(expected(10))).toBe(true);
    expect(other.bytes.equals(expected(20))).toBe(true);
  });

  test("comes before the end", async () => {
    const socket = new Other();
    socket.write("good-bye");
    socket.end();
    await new Promise((resolve) => socket.once("finish", resolve));
    expect(socket.bytes.toString()).toBe("good-bye");
  });

  test("is dropped when the socket has been closed meanwhile", async () => {
    const socket = new Other();
    socket.write("too late");
    socket.destroy();
    await endOfTurn();
    expect(socket.writes).toEqual([]);
  });
});

test.each([200_000, 1000])(
  "what a socket does not take at once stays as it is while others write, %p bytes",
  async (length) => {
    const [slow, quick] = [new Other(), new Other()];
    slow.takes = false;
    const pieces = [Buffer.alloc(length, 1), Buffer.alloc(length, 2)];
    for (const piece of pieces) {
      slow.write(piece);
      await endOfTurn();
      quick.write(Buffer.alloc(length, 9));
      await endOfTurn();
    }
    // What it holds is no more than was written.
    expect(slow.writableLength).toBe(2 * length);
    slow.takeAgain();
    await endOfTurn();
    expect(slow.bytes.equals(Buffer.concat(pieces))).toBe(true);
  },
);

test("says whether the socket wants to be asked for less", async () => {
  const socket = new Other();
  expect(socket.write(Buffer.alloc(10))).toBe(true);
  socket.takes = false;
  socket.write(Buffer.alloc(5000));
  await endOfTurn();
  expect(socket.write(Buffer.alloc(10))).toBe(false);
});
