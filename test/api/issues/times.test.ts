import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const dora = await app.user("dora");
const root = await app.admin("root");
const { sql } = app.forge.database;
const repo = "/repos/alice/tree";
const at = `${repo}/issues`;

interface Time {
  id: number;
  time: number;
  created: string;
  issue_id: number;
  user_id: number;
  user_name: string;
  issue: { number: number; repository: { full_name: string } } | null;
}
interface Entry {
  type: string;
  body: string;
  user: { login: string };
  tracked_time: Time | null;
}

const add = (number: number, body: object, client = carol.api) =>
  client.post<Time & { message: string }>(`${at}/${number}/times`, body);
const listed = async (path: string, client = carol.api) => {
  const { status, body } = await client.get<Time[]>(path);
  expect(status).toBe(200);
  return body.map(({ user_name, time }) => [user_name, time]);
};
const entries = async (number: number) =>
  (await alice.api.get<Entry[]>(`${at}/${number}/timeline?limit=50`)).body.map(({ type, body, user, tracked_time }) => [
    type,
    body,
    user.login,
    tracked_time?.time ?? null,
  ]);
const tracker = async (settings: object) =>
  expect((await alice.api.patch(repo, { internal_tracker: settings })).status).toBe(200);

/** Bob wrote issue 1, Dora has issue 2, Carol may write. */
beforeAll(async () => {
  await app.repository(alice, "tree");
  await alice.api.put(`${repo}/collaborators/carol`, { permission: "write" });
  await bob.api.post(at, { title: "A leaf fell" });
  await alice.api.post(at, { title: "A twig fell" });
  await sql`insert into issue_assignee (issue_id, user_id) select id, ${dora.id} from issue where number = 2`;
});

beforeEach(async () => {
  await sql`delete from tracked_time`;
  await sql`delete from stopwatch`;
  await sql`delete from comment`;
  await tracker({ enable_time_tracker: true, allow_only_contributors_to_track_time: true });
});

describe("tracked times are refused", () => {
  test("to those who neither write the issue, nor are its author or an assignee", async () => {
    expect((await add(1, { time: 60 }, dora.api)).status).toBe(403);
    expect((await add(2, { time: 60 }, bob.api)).status).toBe(403);
    expect((await add(1, { time: 60 }, app.anonymous)).status).toBe(401);
    for (const [number, user] of [
      [1, bob],
      [2, dora],
      [1, carol],
    ] as const) {
      expect((await add(number, { time: 60 }, user.api)).status).toBe(200);
    }
    await tracker({ allow_only_contributors_to_track_time: false });
    expect((await add(1, { time: 60 }, dora.api)).status).toBe(200);
  });

  test("to whom the owner blocked, and where the repository is hidden", async () => {
    await tracker({ allow_only_contributors_to_track_time: false });
    await alice.api.put("/user/blocks/dora");
    expect((await add(1, { time: 60 }, dora.api)).status).toBe(403);
    await alice.api.delete("/user/blocks/dora");
    await app.repository(alice, "secret", { private: true });
    await alice.api.post("/repos/alice/secret/issues", { title: "x" });
    const secret = "/repos/alice/secret";
    expect((await bob.api.post(`${secret}/issues/1/times`, { time: 60 })).status).toBe(404);
    expect((await bob.api.get(`${secret}/issues/1/times`)).status).toBe(404);
    expect((await bob.api.get(`${secret}/times`)).status).toBe(404);
  });

  test("where the repository does not track time", async () => {
    const { body } = await add(1, { time: 60 });
    await tracker({ enable_time_tracker: false });
    const refused = await add(1, { time: 60 });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'The tracking of time is switched off in "alice/tree"',
    ]);
    expect((await carol.api.delete(`${at}/1/times`)).status).toBe(400);
    expect((await carol.api.delete(`${at}/1/times/${body.id}`)).status).toBe(400);
    expect((await carol.api.get(`${repo}/times`)).status).toBe(400);
    expect((await carol.api.get(`${repo}/times/carol`)).status).toBe(400);
    expect((await carol.api.get(`${at}/1/times`)).status).toBe(404);
    for (const step of ["start", "stop"]) {
      expect((await carol.api.post(`${at}/1/stopwatch/${step}`)).status).toBe(403);
    }
    expect((await carol.api.delete(`${at}/1/stopwatch/delete`)).status).toBe(403);
  });

  test.each([
    [{ time: 0 }, "time"],
    [{ time: -60 }, "time"],
    [{ time: 365 * 24 * 3600 + 1 }, "time"],
    [{ time: 1.5 }, "time"],
    [{}, "time"],
    [{ time: 60, created: "yesterday" }, "created"],
    [{ time: 60, created: "2999-01-01T00:00:00Z" }, "created"],
  ])("as %j, which names the field", async (body, field) => {
    const answer = await add(1, body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(field);
    expect(await listed(`${at}/1/times`)).toEqual([]);
  });

  test("for others than oneself, except by administrators, and for who may not read the issue", async () => {
    expect((await add(1, { time: 60, user_name: "dora" })).status).toBe(403);
    const nobody = await add(1, { time: 60, user_name: "nobody" }, alice.api);
    expect([nobody.status, nobody.body.message]).toEqual([422, 'Nobody who may read it is called "nobody"']);
    await sql`update account set restricted = true where owner_id = ${dora.id}`;
    expect((await add(1, { time: 60, user_name: "dora" }, alice.api)).status).toBe(422);
    await sql`update account set restricted = false where owner_id = ${dora.id}`;
    expect((await add(1, { time: 60, user_name: "Dora" }, alice.api)).body).toMatchObject({ user_name: "dora" });
  });

  test("for an issue that is not there", async () => {
    expect((await add(4711, { time: 60 })).status).toBe(404);
    expect((await carol.api.get(`${at}/4711/times`)).status).toBe(404);
    expect((await carol.api.delete(`${at}/1/times`)).status).toBe(404);
    expect((await carol.api.delete(`${at}/1/times/4711`)).status).toBe(404);
  });
});

describe("tracked times", () => {
  test("are answered whole, and stand in the timeline", async () => {
    const { status, body } = await add(1, { time: 3720, created: "2020-01-02T03:04:05Z" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      created: "2020-01-02T03:04:05Z",
      time: 3720,
      issue_id: expect.any(Number),
      user_id: carol.id,
      user_name: "carol",
      issue: expect.objectContaining({ number: 1, id: body.issue_id }),
    } as never);
    expect(await entries(1)).toEqual([["add_time_manual", "1 hour 2 minutes", "carol", 3720]]);
    const { body: list } = await carol.api.get<Time[]>(`${at}/1/times`);
    expect(list).toEqual([body] as never);
  });

  test("are of now where the zero of Go's times is sent", async () => {
    const before = Date.now();
    const { body } = await add(1, { time: 60, created: "0001-01-01T00:00:00Z", user_name: "" });
    expect(Date.parse(body.created)).toBeGreaterThanOrEqual(before - 60_000);
  });

  test("are deleted by whom they are of, and by site administrators", async () => {
    const [first, second] = [(await add(1, { time: 60 })).body, (await add(1, { time: 120 })).body];
    expect((await alice.api.delete(`${at}/1/times/${first.id}`)).status).toBe(403);
    expect((await carol.api.delete(`${at}/2/times/${first.id}`)).status).toBe(404);
    expect((await carol.api.delete(`${at}/1/times/${first.id}`)).status).toBe(204);
    expect((await root.api.delete(`${at}/1/times/${second.id}`)).status).toBe(204);
    expect(await listed(`${at}/1/times`)).toEqual([]);
    expect((await entries(1)).slice(2)).toEqual([
      ["delete_time_manual", "1 minute", "carol", null],
      ["delete_time_manual", "2 minutes", "root", null],
    ]);
    expect((await entries(1))[0]).toEqual(["add_time_manual", "1 minute", "carol", null]);
  });

  test("are reset: one's own of an issue, and no others", async () => {
    for (const [user, seconds] of [
      [carol, 60],
      [bob, 61],
      [carol, 62],
    ] as const) {
      await add(1, { time: seconds }, user.api);
    }
    await add(2, { time: 63 });
    expect((await carol.api.delete(`${at}/1/times`)).status).toBe(204);
    expect(await listed(`${repo}/times`)).toEqual([
      ["bob", 61],
      ["carol", 63],
    ]);
    expect((await entries(1)).at(-1)).toEqual(["delete_time_manual", "2 minutes 2 seconds", "carol", null]);
  });

  test("of others are told to those who may write", async () => {
    await add(1, { time: 60 }, bob.api);
    await add(1, { time: 61 });
    expect(await listed(`${at}/1/times`)).toEqual([
      ["bob", 60],
      ["carol", 61],
    ]);
    for (const path of [`${at}/1/times`, `${repo}/times`]) {
      expect(await listed(path, bob.api)).toEqual([["bob", 60]]);
      expect(await listed(path, dora.api)).toEqual([]);
      expect(await listed(`${path}?user=bob`, bob.api)).toEqual([["bob", 60]]);
      expect((await bob.api.get(`${path}?user=carol`)).status).toBe(403);
      expect((await bob.api.get(`${path}?user=nobody`)).status).toBe(404);
      expect((await app.anonymous.get(path)).status).toBe(401);
    }
    expect((await bob.api.get(`${repo}/times/carol`)).status).toBe(403);
    expect(await listed(`${repo}/times/bob`, carol.api)).toEqual([["bob", 60]]);
    expect(await listed(`${repo}/times/bob`, bob.api)).toEqual([["bob", 60]]);
  });

  test("are narrowed by user and time, and paged", async () => {
    for (const [day, user] of [
      [1, bob],
      [2, carol],
      [3, carol],
    ] as const) {
      await add(1, { time: day * 60, created: `2020-01-0${day}T00:00:00Z` }, user.api);
    }
    for (const path of [`${at}/1/times`, `${repo}/times`]) {
      expect(await listed(`${path}?since=2020-01-02T00:00:00Z`)).toEqual([
        ["carol", 120],
        ["carol", 180],
      ]);
      expect(await listed(`${path}?before=2020-01-02T00:00:00Z&user=carol`)).toEqual([["carol", 120]]);
      expect((await carol.api.get(`${path}?since=once`)).status).toBe(422);
      const page = await carol.api.get<Time[]>(`${path}?limit=2&page=2`);
      expect(page.body.map(({ time }) => time)).toEqual([180]);
      expect(page.headers.get("x-total-count")).toBe("3");
    }
    expect(await listed("/user/times?since=2020-01-03T00:00:00Z")).toEqual([["carol", 180]]);
    expect(await listed("/user/times?limit=1&page=2")).toEqual([["carol", 180]]);
    expect((await carol.api.get("/user/times?before=once")).status).toBe(422);
  });

  test("of oneself are of what one may still read, and of pull requests for who may read these", async () => {
    await app.repository(alice, "late", { private: true });
    await alice.api.put("/repos/alice/late/collaborators/carol", { permission: "write" });
    await alice.api.post("/repos/alice/late/issues", { title: "x" });
    await carol.api.post("/repos/alice/late/issues/1/times", { time: 7 });
    expect(await listed("/user/times")).toEqual([["carol", 7]]);
    await alice.api.delete("/repos/alice/late/collaborators/carol");
    expect(await listed("/user/times")).toEqual([]);
    await add(1, { time: 60 });
    await sql`update issue set is_pull = true where number = 1 and repository_id = (select id from repository where name = 'tree')`;
    expect(await listed(`${repo}/times`)).toEqual([["carol", 60]]);
    await alice.api.patch(repo, { has_pull_requests: false });
    expect(await listed(`${repo}/times`)).toEqual([]);
    await alice.api.patch(repo, { has_pull_requests: true });
    await sql`update issue set is_pull = false where number = 1`;
  });
});

describe("stopwatches", () => {
  const step = async (number: number, name: "start" | "stop" | "delete", client = carol.api) =>
    name === "delete"
      ? (await client.delete(`${at}/${number}/stopwatch/delete`)).status
      : (await client.post(`${at}/${number}/stopwatch/${name}`)).status;
  const running = async (client = carol.api) => (await client.get<object[]>("/user/stopwatches")).body;
  const turnBack = (seconds: number) =>
    sql`update stopwatch set started_at = started_at - make_interval(secs => ${seconds})`;

  test("are refused to who may not track time, and where they run or do not", async () => {
    expect(await step(1, "start", dora.api)).toBe(403);
    expect(await step(1, "start", app.anonymous)).toBe(401);
    expect(await step(4711, "start")).toBe(404);
    expect(await step(1, "stop")).toBe(409);
    expect(await step(1, "delete")).toBe(409);
    expect(await step(1, "start")).toBe(201);
    expect(await step(1, "start")).toBe(409);
    expect(await step(2, "stop")).toBe(409);
  });

  test("run, and are stopped or taken away", async () => {
    expect(await running()).toEqual([]);
    expect(await step(1, "start")).toBe(201);
    await turnBack(3661);
    expect(await running()).toEqual([
      {
        created: expect.any(String),
        duration: "1 hour 1 minute",
        issue_index: 1,
        issue_title: "A leaf fell",
        repo_name: "tree",
        repo_owner_name: "alice",
        seconds: expect.any(Number),
      },
    ]);
    expect(await running(bob.api)).toEqual([]);
    expect(await step(1, "stop")).toBe(201);
    expect(await running()).toEqual([]);
    const [[, seconds] = []] = await listed(`${at}/1/times`);
    expect(seconds).toBeGreaterThanOrEqual(3661);
    await step(1, "start");
    expect(await step(1, "delete")).toBe(204);
    expect((await entries(1)).map(([type]) => type)).toEqual([
      "start_tracking",
      "stop_tracking",
      "start_tracking",
      "cancel_tracking",
    ]);
    expect(await listed(`${at}/1/times`)).toHaveLength(1);
  });

  test("are one at a time: another start stops and tracks the one before", async () => {
    await step(1, "start");
    await turnBack(600);
    expect(await step(2, "start")).toBe(201);
    expect(await running()).toMatchObject([{ issue_index: 2 }]);
    expect(await listed(`${at}/1/times`)).toHaveLength(1);
    const answers = await Promise.all([1, 2, 1, 2, 1, 2].map((number) => step(number, "start")));
    expect(answers.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(await running()).toHaveLength(1);
  });

  test("count as a year at most", async () => {
    await step(1, "start");
    await turnBack(400 * 24 * 3600);
    await step(1, "stop");
    expect(await listed(`${at}/1/times`)).toEqual([["carol", 365 * 24 * 3600]]);
  });

  test("on what one may not read any more are not shown, and end without a trace", async () => {
    await app.repository(alice, "lost", { private: true });
    const lost = "/repos/alice/lost";
    await alice.api.put(`${lost}/collaborators/carol`, { permission: "write" });
    await alice.api.post(`${lost}/issues`, { title: "x" });
    expect((await carol.api.post(`${lost}/issues/1/stopwatch/start`)).status).toBe(201);
    const narrow = app.withToken(await app.token(carol, ["public-only", "write:issue"]));
    expect((await narrow.post(`${at}/1/stopwatch/start`)).status).toBe(409);
    await alice.api.delete(`${lost}/collaborators/carol`);
    expect(await running()).toEqual([]);
    expect((await narrow.post(`${at}/1/stopwatch/start`)).status).toBe(201);
    expect(await running()).toMatchObject([{ issue_index: 1 }]);
    expect((await alice.api.get<Time[]>(`${lost}/times`)).body).toEqual([]);
  });
});

test("deleting a user or an issue leaves no time behind that is somebody's", async () => {
  const eve = await app.user("eve");
  await alice.api.put(`${repo}/collaborators/eve`, { permission: "write" });
  await add(1, { time: 60 }, eve.api);
  await eve.api.post(`${at}/1/stopwatch/start`);
  expect((await root.api.delete("/admin/users/eve")).status).toBe(204);
  expect((await carol.api.get<Time[]>(`${at}/1/times`)).body).toMatchObject([{ user_id: 0, user_name: "", time: 60 }]);
  const { body } = await alice.api.post<{ number: number }>(at, { title: "short-lived" });
  await add(body.number, { time: 60 });
  await carol.api.post(`${at}/${body.number}/stopwatch/start`);
  expect((await alice.api.delete(`${at}/${body.number}`)).status).toBe(204);
  expect((await carol.api.get("/user/stopwatches")).body).toEqual([]);
});
