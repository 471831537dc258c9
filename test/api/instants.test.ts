import { beforeAll, describe, expect, test } from "bun:test";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { useTestApp } from "../support/test-app.ts";

/** Times in responses have whole seconds; what clients send back of them finds what it was read from, although rows keep more. */

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const base = "/repos/alice/clock";
const shown = "2026-02-25T10:00:00Z";
const stored = "2026-02-25T10:00:00.5Z";
/** The first instant of the second that is shown, and the last that a row may keep of it. */
const edges = ["2026-02-25T10:00:00Z", "2026-02-25T10:00:00.999999Z"];

interface Timed {
  created_at: string;
  updated_at: string;
}

beforeAll(async () => {
  await app.repository(alice, "clock");
  await bob.api.put(`${base}/subscription`);
  await alice.api.post(`${base}/issues`, { title: "one" });
  await alice.api.post(`${base}/issues/1/comments`, { body: "a remark" });
  await alice.api.post(`${base}/issues/1/times`, { time: 60 });
  await waitUntilIdle(app.forge, 60_000);
  await sql`update issue set created_at = ${stored}, updated_at = ${stored}`;
});

const lists: [string, (query: string) => Promise<{ status: number; body: unknown[] }>][] = [
  ["issues of a repository", (query) => alice.api.get(`${base}/issues?${query}`)],
  ["search of issues", (query) => alice.api.get(`/repos/issues/search?${query}`)],
  ["comments of an issue", (query) => alice.api.get(`${base}/issues/1/comments?${query}`)],
  ["comments of a repository", (query) => alice.api.get(`${base}/issues/comments?${query}`)],
  ["timeline", (query) => alice.api.get(`${base}/issues/1/timeline?${query}`)],
  ["times of an issue", (query) => alice.api.get(`${base}/issues/1/times?${query}`)],
  ["times of a repository", (query) => alice.api.get(`${base}/times?${query}`)],
  ["times of a user", (query) => alice.api.get(`/user/times?${query}`)],
  ["notifications", (query) => bob.api.get(`/notifications?${query}`)],
  ["notifications of a repository", (query) => bob.api.get(`${base}/notifications?${query}`)],
];

describe.each(lists)("%s", (_, list) => {
  const setTo = async (at: string) => {
    await sql`update issue set updated_at = ${at}`;
    await sql`update comment set created_at = ${at}, updated_at = ${at}`;
    await sql`update tracked_time set created_at = ${at}`;
    await sql`update notification set updated_at = ${at}`;
  };

  test.each(["before", "since"])("%s takes a time in RFC 3339 only", async (name) => {
    for (const time of ["1.1.", "1", "2026-02-25", "2026-02-25T10:00:00", "2026-02-30T10:00:00Z", "yesterday"]) {
      const { status, body } = await list(`${name}=${time}`);
      const message = `${name} must be a time in RFC 3339, not "${time}"`;
      expect([status, body]).toEqual([422, expect.objectContaining({ message }) as never]);
    }
  });

  test("both ends are included, and nothing beside them", async () => {
    for (const edge of [...edges, stored]) {
      await setTo(edge);
      const found = async (query: string) => (await list(query)).body.length > 0;
      expect(await found(`since=${shown}`)).toBe(true);
      expect(await found(`before=${shown}`)).toBe(true);
      expect(await found(`since=${shown}&before=${shown}`)).toBe(true);
      expect(await found("since=2026-02-25T10:00:00.7Z")).toBe(true);
      expect(await found("before=2026-02-25T10:00:00.2Z")).toBe(true);
      expect(await found("before=2026-02-25T09:59:59Z")).toBe(false);
      expect(await found("since=2026-02-25T10:00:01Z")).toBe(false);
      expect(await found("before=2026-02-25T12:00:00%2B02:00&since=2026-02-25T08:00:00-02:00")).toBe(true);
    }
  });
});

test("every time has whole seconds", async () => {
  await sql`update issue set updated_at = ${stored}`;
  const issue = (await alice.api.get<Timed>(`${base}/issues/1`)).body;
  expect([issue.created_at, issue.updated_at]).toEqual([shown, shown]);
  const texts = [
    issue,
    (await alice.api.get("/user")).body,
    (await alice.api.get(base)).body,
    (await bob.api.get("/notifications?all=true")).body,
    (await alice.api.get(`${base}/issues/1/timeline`)).body,
  ].map((body) => JSON.stringify(body));
  expect(texts.filter((text) => /T\d\d:\d\d:\d\d\.\d/.test(text))).toEqual([]);
});

test("the time that an issue was opened, as it is shown, is one that its change may have", async () => {
  const { status, body } = await alice.api.patch<Timed>(`${base}/issues/1`, { title: "two", updated_at: shown });
  expect([status, body.updated_at]).toEqual([201, shown]);
});

test("what is read up to the time that is shown is read", async () => {
  await sql`update notification set updated_at = ${stored}, status = 'unread'`;
  const [thread] = (await bob.api.get<Timed[]>("/notifications")).body;
  expect(thread?.updated_at).toBe(shown);
  expect((await bob.api.put("/notifications?last_read_at=2026-02-25T09:59:59Z")).status).toBe(205);
  expect((await bob.api.get<Timed[]>("/notifications")).body).toHaveLength(1);
  expect((await bob.api.put(`/notifications?last_read_at=${thread?.updated_at}`)).status).toBe(205);
  expect((await bob.api.get<Timed[]>("/notifications")).body).toEqual([]);
  expect((await bob.api.put("/notifications?last_read_at=1.1.")).status).toBe(400);
});
