import { describe, expect, test } from "bun:test";
import { LiveHub } from "../../domain/server/live/live-hub.ts";
import { LiveStream, type Sight } from "./live-stream.ts";

const sight: Sight = { subjects: ["issue:1"], inbox: null };
const inbox = (unread: number): Sight => ({ subjects: [], inbox: { subject: "inbox:7", unread } });
const seconds = (count: number) => Date.now() + count * 1000;

/** A stream whose reader sees what `look` says, and how its messages are read. */
function open(look: () => Promise<Sight | null>, first = sight) {
  const hub = new LiveHub();
  let ended = 0;
  const stream = new LiveStream(hub, look, first, Date.now() + 1, () => ended++);
  const reader = stream.body.getReader();
  const next = async () => {
    const { done, value } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  return { hub, stream, next, ended: () => ended };
}

describe("a stream", () => {
  test("says at once that it is there, and what changed since the page was read", async () => {
    const { next } = open(async () => sight);
    expect(await next()).toBe(":\n\n");
    const hub = new LiveHub();
    hub.tell(["issue:1"]);
    const late = new LiveStream(
      hub,
      async () => sight,
      sight,
      Date.now() - 1,
      () => {},
    );
    const { value } = await late.body.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("event: changed\ndata: 1\n\n");
  });

  test("tells several changes as one, and only those of what it looks at", async () => {
    let looks = 0;
    const { hub, next } = open(async () => {
      looks++;
      return sight;
    });
    await next();
    hub.tell(["issue:2"]);
    hub.tell(["issue:1"]);
    hub.tell(["issue:1"]);
    expect(await next()).toBe("event: changed\ndata: 1\n\n");
    expect(looks).toBe(1);
  });

  test("tells the number of unread notifications when it is another one", async () => {
    let unread = 3;
    const { hub, next } = open(async () => inbox(unread), inbox(3));
    expect(await next()).toBe("event: unread\ndata: 3\n\n");
    unread = 4;
    hub.tell(["inbox:7"]);
    expect(await next()).toBe("event: unread\ndata: 4\n\n");
  });

  test("follows what it looks at: the checks of a head that moved", async () => {
    const moved: Sight = { subjects: ["issue:1", "commit:1:b"], inbox: null };
    const { hub, next } = open(async () => moved, { subjects: ["issue:1", "commit:1:a"], inbox: null });
    await next();
    hub.tell(["issue:1"]);
    expect(await next()).toContain("changed");
    hub.tell(["commit:1:b"]);
    expect(await next()).toContain("changed");
  });

  test("does not tell a reader who lost their rights that something happened, and ends at the next look", async () => {
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    const { hub, stream, next, ended } = open(async () => {
      resolve();
      return null;
    });
    await next();
    const reading = next();
    hub.tell(["issue:1"]);
    await looked;
    expect(await Promise.race([reading, Promise.resolve("silence")])).toBe("silence");
    expect(ended()).toBe(0);
    stream.tick(seconds(61));
    expect(await reading).toBe(":\n\n");
    expect(await next()).toBe(null);
    expect(ended()).toBe(1);
  });

  test("looks at the rights each minute, without an event", async () => {
    let looks = 0;
    const { stream, next, ended } = open(async () => {
      looks++;
      return null;
    });
    await next();
    stream.tick(seconds(30));
    await next();
    expect(looks).toBe(0);
    stream.tick(seconds(61));
    await Promise.resolve();
    await Promise.resolve();
    expect([looks, ended()]).toEqual([1, 1]);
  });

  test("beats when nothing happens, and ends after half an hour", async () => {
    const { stream, next } = open(async () => sight);
    await next();
    stream.tick(seconds(21));
    expect(await next()).toBe(":\n\n");
    stream.tick(seconds(31 * 60));
    expect(await next()).toBe(null);
  });

  test("keeps no queue for a slow reader, and ends when they take nothing for a minute", async () => {
    const hub = new LiveHub();
    let ended = false;
    const stream = new LiveStream(
      hub,
      async () => inbox(9),
      inbox(3),
      Date.now() + 1,
      () => (ended = true),
    );
    hub.tell(["inbox:7"]);
    stream.tick(seconds(21));
    stream.tick(seconds(30));
    expect(ended).toBe(false);
    stream.tick(seconds(85));
    expect(ended).toBe(true);
    const reader = stream.body.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value).split("event:")).toHaveLength(2);
    expect((await reader.read()).done).toBe(true);
  });

  test("ends when its reader goes", async () => {
    const hub = new LiveHub();
    let ended = 0;
    const stream = new LiveStream(
      hub,
      async () => sight,
      sight,
      Date.now() + 1,
      () => ended++,
    );
    await stream.body.cancel();
    stream[Symbol.dispose]();
    expect(ended).toBe(1);
  });
});
