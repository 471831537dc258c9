import { afterAll, describe, expect, test } from "bun:test";
import { TestApp, testPassword, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebVisitor } from "../support/web-visitor.ts";

/* What streams of events tell, by plain HTTP. live-browser.test.ts shows what pages do with it. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "closed", { private: true, auto_init: true });
for (const repo of ["tour", "closed"]) {
  await alice.api.post(`/repos/alice/${repo}/issues`, { title: "First" });
}
await alice.api.post("/repos/alice/tour/issues", { title: "Second" });

const nobody = new WebVisitor(app.url);
const opened: Stream[] = [];
afterAll(() => {
  for (const stream of opened) {
    stream.close();
  }
});

async function browserOf(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}

/** A stream of events as it arrives. */
class Stream {
  text = "";
  isOver = false;
  private readonly closing = new AbortController();
  private constructor(
    readonly status: number,
    readonly headers: Headers,
  ) {}

  static async open(visitor: WebVisitor, path: string, url = app.url): Promise<Stream> {
    const closing = new AbortController();
    const response = await fetch(url + path, {
      redirect: "manual",
      headers: { accept: "text/event-stream", cookie: visitor.cookie },
      signal: closing.signal,
    });
    const stream = new Stream(response.status, response.headers);
    closing.signal.addEventListener("abort", () => (stream.isOver = true));
    stream.closing.signal.addEventListener("abort", () => closing.abort());
    void stream.read(response);
    opened.push(stream);
    if (response.status === 200) {
      await until("it is open", () => stream.text !== "");
    }
    return stream;
  }

  private async read(response: Response): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        this.text += decoder.decode(piece);
      }
    } catch {
      // It was closed here.
    }
    this.isOver = true;
  }

  get changes(): number {
    return this.text.split("event: changed").length - 1;
  }

  get unread(): number[] {
    return [...this.text.matchAll(/event: unread\ndata: (\d+)/g)].map(([, count]) => Number(count));
  }

  close(): void {
    this.closing.abort();
  }
}

const comment = (repo: string, number: number, body = "New") =>
  alice.api.post(`/repos/alice/${repo}/issues/${number}/comments`, { body });

describe("a stream is refused", () => {
  test.each([
    ["/alice/closed/-/events?see=code", 404],
    ["/alice/closed/-/events?see=issue:1", 404],
    ["/alice/none/-/events?see=code", 404],
    ["/alice/tour/-/events?see=issue:99", 404],
    ["/alice/tour/-/events?see=issue:0", 404],
    ["/alice/tour/-/events?see=secrets", 404],
    ["/alice/tour/-/events", 404],
    ["/-/events", 303],
  ])("to strangers at %s: %i", async (path, status) => {
    expect((await Stream.open(nobody, path)).status).toBe(status);
  });

  test("to pages of other sites, to those who ask for no stream, and without a session", async () => {
    const path = "/alice/tour/-/events?see=code";
    const accept = "text/event-stream";
    const ask = (headers: Record<string, string>, method = "GET") => nobody.request(method, path, { headers });
    expect((await ask({ accept, "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await ask({ accept, origin: "https://evil.example" })).status).toBe(403);
    expect((await ask({ accept: "text/html" })).status).toBe(406);
    expect((await ask({})).status).toBe(406);
    const head = await ask({ accept }, "HEAD");
    expect([head.status, head.headers.get("content-type"), head.text]).toEqual([200, "text/event-stream", ""]);
    expect((await nobody.request("HEAD", "/alice/closed/-/events", { headers: { accept } })).status).toBe(404);
  });

  test("about a part of a repository that is closed to the reader", async () => {
    await alice.api.patch("/repos/alice/tour", { has_issues: false });
    expect((await Stream.open(nobody, "/alice/tour/-/events?see=issue:1")).status).toBe(404);
    const list = await Stream.open(nobody, "/alice/tour/-/events?see=issues");
    await alice.api.patch("/repos/alice/tour", { has_issues: true });
    await comment("tour", 1);
    const other = await Stream.open(nobody, "/alice/tour/-/events?see=issues");
    await comment("tour", 1);
    await until("the one that may hears it", () => other.changes === 1);
    expect(list.changes).toBe(0);
    list.close();
    other.close();
  });
});

describe("a stream tells", () => {
  test("that an issue changed, and nothing about another one or what it says", async () => {
    const first = await Stream.open(nobody, "/alice/tour/-/events?see=issue:1");
    const second = await Stream.open(nobody, "/alice/tour/-/events?see=issue:2");
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
    });
    await comment("tour", 1, "A secret word");
    await until("it is told", () => first.changes === 1);
    await alice.api.patch("/repos/alice/tour/issues/2", { title: "Another name" });
    await until("the other one is told", () => second.changes === 1);
    expect(first.changes).toBe(1);
    expect(first.text.replaceAll(/event: changed\ndata: 1\n\n|:\n\n/g, "")).toBe("");
    await alice.api.post("/repos/alice/tour/issues/2/reactions", { content: "+1" });
    await until("a reaction is told", () => second.changes === 2);
    first.close();
    second.close();
  });

  test("that lists, code and numbers changed", async () => {
    const [issues, pulls, code] = await Promise.all(
      ["issues", "pulls", "code"].map((see) => Stream.open(nobody, `/alice/tour/-/events?see=${see}`)),
    );
    await alice.api.post("/repos/alice/tour/issues", { title: "Third" });
    await until("list and number of issues are told", () => issues?.changes === 1 && code?.changes === 1);
    expect(pulls?.changes).toBe(0);
    await alice.api.post("/repos/alice/tour/branches", { new_branch_name: "topic" });
    await until("code is told", () => code?.changes === 2);
    expect([issues?.changes, pulls?.changes]).toEqual([1, 0]);
    for (const stream of [issues, pulls, code]) {
      stream?.close();
    }
  });

  test("that a pull request's checks, and whether it can be merged, changed", async () => {
    const { body: file } = await alice.api.post<{ commit: { sha: string } }>("/repos/alice/tour/contents/new.txt", {
      content: btoa("new"),
      branch: "topic",
      message: "Add",
    });
    const { body: pull } = await alice.api.post<{ number: number }>("/repos/alice/tour/pulls", {
      title: "Topic",
      head: "topic",
      base: "main",
    });
    const stream = await Stream.open(nobody, `/alice/tour/-/events?see=issue:${pull.number}`);
    const before = stream.changes;
    await alice.api.post(`/repos/alice/tour/statuses/${file.commit.sha}`, { state: "success", context: "ci" });
    await until("the check is told", () => stream.changes > before);
    const { body: next } = await alice.api.post<{ commit: { sha: string } }>("/repos/alice/tour/contents/newer.txt", {
      content: btoa("newer"),
      branch: "topic",
      message: "Add more",
    });
    await until("the new head is told", () => stream.changes > before + 1);
    const told = stream.changes;
    await alice.api.post(`/repos/alice/tour/statuses/${next.commit.sha}`, { state: "failure", context: "ci" });
    await until("the check of the new head is told", () => stream.changes > told);
    stream.close();
  });

  test("what changed since the page was read", async () => {
    const since = Date.now();
    await comment("tour", 2);
    const late = await Stream.open(nobody, `/alice/tour/-/events?see=issue:2&since=${since}`);
    const present = await Stream.open(nobody, `/alice/tour/-/events?see=issue:2&since=${Date.now() + 1}`);
    const broken = await Stream.open(nobody, "/alice/tour/-/events?see=issue:2&since=yesterday");
    expect([late.changes, present.changes, broken.changes]).toEqual([1, 0, 0]);
    for (const stream of [late, present, broken]) {
      stream.close();
    }
  });

  test("users how much they have not read", async () => {
    const visitor = await browserOf("bob");
    await bob.api.put("/repos/alice/tour/subscription");
    const stream = await Stream.open(visitor, "/-/events?see=inbox");
    const [before = -1] = stream.unread;
    await alice.api.post("/repos/alice/tour/issues", { title: "For bob" });
    await until("the number is told", () => stream.unread.at(-1) === before + 1);
    expect(stream.changes).toBe(1);
    await bob.api.put("/notifications?last_read_at=2099-01-01T00:00:00Z");
    await until("it is told that all is read", () => stream.unread.at(-1) === 0);
    stream.close();
  });
});

test("who lost their rights is not told that something happened", async () => {
  await alice.api.put("/repos/alice/closed/collaborators/bob", { permission: "read" });
  const stream = await Stream.open(await browserOf("bob"), "/alice/closed/-/events?see=issue:1");
  const owner = await Stream.open(await browserOf("alice"), "/alice/closed/-/events?see=issue:1");
  await comment("closed", 1);
  await until("both are told", () => stream.changes === 1 && owner.changes === 1);
  await alice.api.delete("/repos/alice/closed/collaborators/bob");
  await comment("closed", 1);
  await until("the owner is told", () => owner.changes === 2);
  await comment("closed", 1);
  await until("the owner is told again", () => owner.changes === 3);
  expect([stream.changes, stream.isOver]).toEqual([1, false]);
  stream.close();
  owner.close();
});

test("a session has two streams, an address as many as the settings say, and a closed one makes room", async () => {
  await using small = await TestApp.start({ web: { live_streams: 30 } });
  const carol = await small.user("carol");
  await small.repository(carol, "tour", { auto_init: true });
  const visitor = new WebVisitor(small.url);
  await visitor.signIn("carol", testPassword);
  const path = "/carol/tour/-/events?see=code";
  const open = (who: WebVisitor) => Stream.open(who, path, small.url);
  const [first, second] = [await open(visitor), await open(visitor)];
  expect([first.status, second.status, (await open(visitor)).status]).toEqual([200, 200, 429]);
  first.close();
  let again: Stream | null = null;
  await until("the place is free", async () => {
    again = await open(visitor);
    return again.status === 200;
  });
  const stranger = new WebVisitor(small.url);
  expect([(await open(stranger)).status, (await open(stranger)).status]).toEqual([200, 429]);
});

test("streams end with the server, at once, and a server without streams names none", async () => {
  const small = await TestApp.start({ server: { shutdown_grace_seconds: 60 } });
  const carol = await small.user("carol");
  await small.repository(carol, "tour", { auto_init: true });
  const stream = await Stream.open(nobody, "/carol/tour/-/events?see=code", small.url);
  expect((await nobody.get(`${small.url}/carol/tour`)).text).toContain('data-stream="/carol/tour/-/events?see=code"');
  await small[Symbol.asyncDispose]();
  await until("the stream is over", () => stream.isOver);
  await using without = await TestApp.start({ web: { live_streams: 0 } });
  const dora = await without.user("dora");
  await without.repository(dora, "tour", { auto_init: true });
  expect((await nobody.get(`${without.url}/dora/tour`)).text).not.toContain("data-stream");
  expect((await Stream.open(nobody, "/dora/tour/-/events?see=code", without.url)).status).toBe(503);
});
