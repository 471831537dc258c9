import { beforeEach, describe, expect, test } from "bun:test";
import { runRegularTask } from "../../src/domain/server/maintenance/regular-tasks.ts";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

interface Thread {
  id: number;
  unread: boolean;
  pinned: boolean;
  updated_at: string;
  repository: { full_name: string };
  subject: { title: string; type: string; state: string; latest_comment_url: string };
}

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const dave = await app.user("dave");
await app.repository(alice, "tree");
await app.repository(alice, "well", { private: true });
const at = "/repos/alice/tree";

const threads = async (user: TestUser, query = "", path = "/notifications") => {
  const { status, body, headers } = await user.api.get<Thread[]>(`${path}${query}`);
  expect(status).toBe(200);
  expect(Number(headers.get("x-total-count"))).toBeGreaterThanOrEqual(body.length);
  return body;
};
const titles = async (user: TestUser, query = "", path = "/notifications") =>
  (await threads(user, query, path)).map(({ subject }) => subject.title);
const unread = async (user: TestUser) => (await user.api.get<{ new: number }>("/notifications/new")).body.new;
const reasons = async () =>
  (
    await sql<{ name: string; reason: string }[]>`
      select o.name, n.reason from notification n join owner o on o.id = n.user_id order by o.name`
  ).map(({ name, reason }) => `${name} ${reason}`);
const open = async (user: TestUser, title: string, fields: object = {}, path = at) => {
  const { status, body } = await user.api.post<{ number: number }>(`${path}/issues`, { title, ...fields });
  expect(status).toBe(201);
  return body.number;
};
const comment = async (user: TestUser, number: number, body: string, path = at) =>
  expect((await user.api.post(`${path}/issues/${number}/comments`, { body })).status).toBe(201);

beforeEach(async () => {
  await sql`delete from notification`;
  await sql`delete from watch`;
  await sql`delete from collaborator`;
  await sql`delete from issue`;
});

describe("refused", () => {
  test("to nobody, and without the scope", async () => {
    const reader = await app.scoped(bob, "read:notification");
    const other = await app.scoped(bob, "write:issue", "write:repository", "write:user");
    for (const path of ["/notifications", "/notifications/new", "/notifications/threads/1", `${at}/notifications`]) {
      expect((await app.anonymous.get(path)).status).toBe(401);
      expect((await other.get(path)).status).toBe(403);
      expect((await reader.get(path)).status).toBe(path.endsWith("/1") ? 404 : 200);
    }
    for (const path of ["/notifications", `${at}/notifications`]) {
      expect((await app.anonymous.put(path)).status).toBe(401);
      expect((await reader.put(path)).status).toBe(403);
    }
    expect((await reader.patch("/notifications/threads/1")).status).toBe(403);
  });

  test("of a repository that cannot be seen", async () => {
    for (const name of ["well", "none"]) {
      expect((await bob.api.get(`/repos/alice/${name}/notifications`)).status).toBe(404);
      expect((await bob.api.put(`/repos/alice/${name}/notifications`)).status).toBe(404);
    }
  });

  test("somebody else's, which answers as one that is not there", async () => {
    await bob.api.put(`${at}/subscription`);
    await open(alice, "x");
    const [thread] = await threads(bob);
    const path = `/notifications/threads/${thread?.id}`;
    expect((await carol.api.get(path)).status).toBe(404);
    expect((await carol.api.patch(path)).status).toBe(404);
    expect(await unread(bob)).toBe(1);
  });

  test.each([
    ["status-types=new", "status-types must be one of unread, read, pinned"],
    ["subject-type=wiki", "subject-type"],
    ["since=yesterday", "since must be a time in RFC 3339"],
    ["before=never", "before must be a time in RFC 3339"],
    ["all=perhaps", "all must be true or false"],
  ])("a list with %s", async (query, message) => {
    for (const path of ["/notifications", `${at}/notifications`]) {
      const { status, body } = await bob.api.get<{ message: string }>(`${path}?${query}`);
      expect({ status, message: body.message }).toEqual({
        status: 422,
        message: expect.stringContaining(message) as string,
      });
    }
  });

  test.each([
    ["status-types=new", "status-types must be one of"],
    ["to-status=gone", "to-status must be one of unread, read, pinned"],
    ["last_read_at=yesterday", "last_read_at must be a time in RFC 3339"],
    ["all=perhaps", "all must be true or false"],
    [`to-status=${"x".repeat(5000)}`, "to-status must be one of"],
  ])("to mark with the parameter %#, and nothing is marked", async (query, message) => {
    await bob.api.put(`${at}/subscription`);
    await open(alice, "x");
    for (const path of ["/notifications", `${at}/notifications`]) {
      const { status, body } = await bob.api.put<{ message: string }>(`${path}?${query}`);
      expect({ status, message: body.message.slice(0, 250) }).toEqual({
        status: 400,
        message: expect.stringContaining(message) as string,
      });
    }
    expect(await unread(bob)).toBe(1);
  });
});

describe("made", () => {
  test("for whoever watches, is assigned or mentioned, once, and not for the doer", async () => {
    await bob.api.put(`${at}/subscription`);
    await alice.api.put(`${at}/subscription`);
    await alice.api.put(`${at}/collaborators/dave`, { permission: "write" });
    await open(alice, "A leaf fell", { body: "@carol and @alice, look", assignees: ["dave"] });
    expect(await reasons()).toEqual(["bob watching", "carol mentioned", "dave assigned"]);
    const { body } = await bob.api.get<Thread[]>("/notifications");
    expect(redact(body)).toMatchSnapshot();
    expect(await bob.api.get(`/notifications/threads/${body[0]?.id}`)).toMatchObject({
      status: 200,
      body: body[0] as object,
    });
    expect(await unread(alice)).toBe(0);
  });

  test("for the author, who commented and who subscribed, when somebody comments, closes or reopens", async () => {
    const number = await open(bob, "A branch broke");
    await comment(carol, number, "Which?");
    expect(await reasons()).toEqual(["bob wrote"]);
    await sql`update notification set updated_at = updated_at - interval '1 hour'`;
    const [first] = await threads(bob);
    expect(first?.subject.latest_comment_url).toMatch(/\/api\/v1\/repos\/alice\/tree\/issues\/comments\/\d+$/);
    await bob.api.put("/notifications");
    await alice.api.patch(`${at}/issues/${number}`, { state: "closed" });
    expect(await reasons()).toEqual(["bob wrote", "carol commented"]);
    const [again] = await threads(bob);
    expect(again).toMatchObject({ id: first?.id ?? 0, unread: true, subject: { state: "closed" } });
    expect(Date.parse(again?.updated_at ?? "")).toBeGreaterThan(Date.parse(first?.updated_at ?? ""));
    await carol.api.put("/notifications");
    await alice.api.patch(`${at}/issues/${number}`, { state: "open" });
    expect(await unread(carol)).toBe(1);
  });

  test("not for whoever unsubscribed, is suspended, or keeps the doer away", async () => {
    const number = await open(alice, "x");
    for (const user of [bob, carol, dave]) {
      await user.api.put(`${at}/subscription`);
    }
    await sql`insert into issue_subscription (issue_id, user_id, watching) select id, ${bob.id}, false from issue`;
    await sql`update account set suspended = true where owner_id = ${carol.id}`;
    await dave.api.put("/user/blocks/alice");
    await comment(alice, number, "@bob?");
    await sql`update account set suspended = false where owner_id = ${carol.id}`;
    await dave.api.delete("/user/blocks/alice");
    expect(await reasons()).toEqual([]);
    await sql`update issue_subscription set watching = true`;
    await comment(alice, number, "Now");
    expect(await reasons()).toEqual(["bob mentioned", "carol watching", "dave watching"]);
  });

  test("not for whoever may not read it", async () => {
    await sql`insert into watch (user_id, repository_id) select ${bob.id}, id from repository where name = 'well'`;
    const number = await open(alice, "@carol", {}, "/repos/alice/well");
    await comment(alice, number, "@carol", "/repos/alice/well");
    expect(await reasons()).toEqual([]);
    await alice.api.put("/repos/alice/well/collaborators/carol", { permission: "read" });
    await comment(alice, number, "@carol", "/repos/alice/well");
    expect(await reasons()).toEqual(["carol mentioned"]);
  });

  test("a pinned one stays pinned", async () => {
    const number = await open(bob, "x");
    await comment(alice, number, "1");
    const [thread] = await threads(bob);
    await bob.api.patch(`/notifications/threads/${thread?.id}?to-status=pinned`);
    await comment(alice, number, "2");
    expect(await threads(bob)).toMatchObject([{ pinned: true, unread: false }]);
  });

  test("for whom a repository is offered to", async () => {
    await app.organization("forge", carol);
    await app.repository(alice, "gift", { private: true });
    expect((await alice.api.post("/repos/alice/gift/transfer", { new_owner: "bob" })).status).toBe(201);
    expect(redact(await threads(bob))).toMatchSnapshot();
    await bob.api.post("/repos/alice/gift/transfer/reject");
    expect(await threads(bob)).toEqual([]);
    expect(await unread(bob)).toBe(0);
    await alice.api.post("/repos/alice/gift/transfer", { new_owner: "forge" });
    expect(await titles(carol)).toEqual(["alice/gift"]);
  });

  test("for more than 100 by a job, with the rights that they have when it runs", async () => {
    const made = await sql<{ id: string }[]>`
      insert into owner (kind, name, lower_name) select 'user', 'many' || n, 'many' || n from generate_series(1, 130) n returning id`;
    const ids = made.map(({ id }) => Number(id));
    await sql`insert into account (owner_id) select unnest(${ids}::bigint[])`;
    await sql`insert into watch (user_id, repository_id) select unnest(${ids}::bigint[]), id from repository where name = 'tree'`;
    await open(alice, "x");
    const count = async () => Number((await sql`select count(*) as n from notification`)[0]?.["n"]);
    await until("130 are told", async () => (await count()) === 130);
    await sql`delete from notification`;
    await sql`update account set suspended = true where owner_id = ${ids[0] ?? 0}`;
    await open(alice, "y");
    await until("129 are told", async () => (await count()) > 0);
    expect(await count()).toBe(129);
  });
});

/** Responses show seconds, and a test takes less: what is made one after the other gets one each. */
const secondsApart = () =>
  sql`update notification set updated_at = '2026-02-25T10:00:00.5Z'::timestamptz + id * interval '1 second'`;

describe("listed", () => {
  test("by status, kind, time, repository and page, the latest first", async () => {
    await bob.api.put(`${at}/subscription`);
    await app.repository(alice, "pond");
    await bob.api.put("/repos/alice/pond/subscription");
    for (const title of ["one", "two", "three"]) {
      await open(alice, title);
    }
    await open(alice, "four", {}, "/repos/alice/pond");
    await sql`update issue set is_pull = true where title = 'two'`;
    await sql`update notification set subject = 'pull' where issue_id in (select id from issue where is_pull)`;
    await secondsApart();
    const all = await threads(bob);
    expect(all.map(({ subject }) => subject.title)).toEqual(["four", "three", "two", "one"]);
    const [four, three, two, one] = all;
    await bob.api.patch(`/notifications/threads/${four?.id}?to-status=pinned`);
    await bob.api.patch(`/notifications/threads/${one?.id}`);
    expect(await titles(bob)).toEqual(["four", "three", "two"]);
    expect(await titles(bob, "?all=true")).toEqual(["four", "three", "two", "one"]);
    expect(await titles(bob, "?status-types=read")).toEqual(["one"]);
    expect(await titles(bob, "?status-types=pinned&status-types=read")).toEqual(["four", "one"]);
    expect(await titles(bob, "?subject-type=pull")).toEqual(["two"]);
    expect(await titles(bob, "?subject-type=Pull")).toEqual(["two"]);
    expect(await titles(bob, "?subject-type=Issue,REPOSITORY&status-types=Pinned")).toEqual(["four"]);
    expect(await titles(bob, "?subject-type=issue,repository")).toEqual(["four", "three"]);
    expect(await titles(bob, "?subject-type=commit")).toEqual([]);
    expect(await titles(bob, "", `${at}/notifications`)).toEqual(["three", "two"]);
    expect(await titles(bob, "?all=1", `${at}/notifications`)).toEqual(["three", "two", "one"]);
    const time = encodeURIComponent(two?.updated_at ?? "");
    expect(await titles(bob, `?since=${time}`)).toEqual(["four", "three", "two"]);
    expect(await titles(bob, `?before=${time}&all=true`)).toEqual(["two", "one"]);
    const second = await bob.api.get<Thread[]>("/notifications?limit=1&page=2");
    expect(second.body.map(({ id }) => id)).toEqual([three?.id ?? 0]);
    expect(second.headers.get("x-total-count")).toBe("3");
    expect(await unread(bob)).toBe(2);
  });
});

describe("marked", () => {
  const prepare = async () => {
    await bob.api.put(`${at}/subscription`);
    await open(alice, "one");
    const [one] = await threads(bob);
    await open(alice, "two");
    return one;
  };

  test("all at once, up to a time, from and to a status", async () => {
    await prepare();
    await secondsApart();
    const time = encodeURIComponent((await threads(bob))[1]?.updated_at ?? "");
    expect(await bob.api.put(`/notifications?last_read_at=${time}`)).toMatchObject({ status: 205, body: null });
    expect(await titles(bob)).toEqual(["two"]);
    expect((await bob.api.put("/notifications?to-status=pinned")).status).toBe(205);
    expect(await titles(bob, "?status-types=pinned")).toEqual(["two"]);
    // Pinned ones are not among those that are marked where nothing is said.
    await bob.api.put("/notifications");
    expect(await titles(bob)).toEqual(["two"]);
    await bob.api.put("/notifications?status-types=pinned,read&to-status=unread");
    expect(await unread(bob)).toBe(2);
    await bob.api.put("/notifications?all=true");
    expect(await unread(bob)).toBe(0);
  });

  test("of one repository, which may be archived", async () => {
    await prepare();
    await app.repository(alice, "old");
    await bob.api.put("/repos/alice/old/subscription");
    await open(alice, "three", {}, "/repos/alice/old");
    await alice.api.patch("/repos/alice/old", { archived: true });
    expect((await bob.api.put("/repos/alice/old/notifications")).status).toBe(205);
    expect(await titles(bob)).toEqual(["two", "one"]);
  });

  test("and shown to everything but plain HTTP tools", async () => {
    const one = await prepare();
    const family = { headers: { "user-agent": "Go-http-client/2.0" } };
    const answer = await bob.api.request<Thread[]>("PUT", "/notifications", family);
    expect(answer.status).toBe(200);
    expect(answer.body.map(({ subject, unread }) => [subject.title, unread])).toEqual([
      ["two", false],
      ["one", false],
    ]);
    const path = `/notifications/threads/${one?.id}?to-status=unread`;
    const single = await bob.api.request<Thread>("PATCH", path, family);
    expect({ status: single.status, unread: single.body.unread }).toEqual({ status: 200, unread: true });
  });
});

describe("what somebody may not see any more", () => {
  /** Neither listed, counted, found nor marked. */
  const expectGone = async (client: TestUser["api"], id: number, repository = "alice/well") => {
    const list = await client.get<Thread[]>("/notifications?all=true");
    expect(list.body.filter((thread) => thread.repository.full_name === repository)).toEqual([]);
    expect(Number(list.headers.get("x-total-count"))).toBe(list.body.length);
    expect((await client.get<{ new: number }>("/notifications/new")).body.new).toBe(list.body.length);
    const absent = await client.get("/notifications/threads/987654321");
    const found = await client.get(`/notifications/threads/${id}`);
    expect({ status: found.status, body: redact(found.body) }).toEqual({
      status: 404,
      body: JSON.parse(JSON.stringify(redact(absent.body)).replace("987654321", String(id))) as object,
    });
    expect((await client.patch(`/notifications/threads/${id}`)).status).toBe(404);
    expect((await client.put("/notifications?all=true&to-status=pinned")).status).toBe(205);
    expect(await sql`select status from notification where id = ${id}`).toEqual([{ status: "unread" }] as never);
  };
  const prepare = async () => {
    await alice.api.put("/repos/alice/well/collaborators/bob", { permission: "read" });
    await bob.api.put("/repos/alice/well/subscription");
    await bob.api.put(`${at}/subscription`);
    await open(alice, "secret", {}, "/repos/alice/well");
    await open(alice, "known");
    await secondsApart();
    const all = await threads(bob);
    expect(all.map(({ subject }) => subject.title)).toEqual(["known", "secret"]);
    return all[1]?.id ?? 0;
  };

  test("after they lost access", async () => {
    const id = await prepare();
    await alice.api.delete("/repos/alice/well/collaborators/bob");
    await expectGone(bob.api, id);
  });

  test("with a token for public things", async () => {
    const id = await prepare();
    await expectGone(await app.scoped(bob, "write:notification", "public-only"), id);
    expect(await titles(bob)).toContain("secret");
  });

  test("when issues are switched off", async () => {
    const id = await prepare();
    await alice.api.patch("/repos/alice/well", { has_issues: false });
    await expectGone(bob.api, id);
    expect(await threads(bob, "", "/repos/alice/well/notifications")).toEqual([]);
    await alice.api.patch("/repos/alice/well", { has_issues: true });
  });

  test("with access to the code alone", async () => {
    await app.organization("guild", alice);
    await alice.api.post("/orgs/guild/repos", { name: "hall", private: true });
    const { id: teamId } = await makeTeam(
      alice,
      "guild",
      { name: "coders", permission: "read", units: ["repo.code", "repo.issues"], includes_all_repositories: true },
      [bob],
    );
    await bob.api.put("/repos/guild/hall/subscription");
    await open(alice, "secret", {}, "/repos/guild/hall");
    const [thread] = await threads(bob);
    expect(thread?.subject.title).toBe("secret");
    await sql`delete from team_unit where team_id = ${teamId} and unit = 'issues'`;
    expect((await bob.api.get("/repos/guild/hall")).status).toBe(200);
    await expectGone(bob.api, thread?.id ?? 0, "guild/hall");
  });

  test("with a token for single repositories", async () => {
    const id = await prepare();
    const value = await app.token(bob, ["write:notification"]);
    await sql`update access_token set restricted = true where user_id = ${bob.id} and id = (select max(id) from access_token)`;
    await sql`insert into access_token_repository (token_id, repository_id)
      select (select max(id) from access_token), id from repository where name = 'tree'`;
    const client = app.withToken(value);
    const list = await client.get<Thread[]>("/notifications");
    expect(list.body.map(({ subject }) => subject.title)).toEqual(["known"]);
    expect(list.headers.get("x-total-count")).toBe("1");
    expect((await client.get("/notifications/new")).body).toEqual({ new: 1 });
    expect((await client.get(`/notifications/threads/${id}`)).status).toBe(404);
    expect((await client.patch(`/notifications/threads/${id}`)).status).toBe(403);
    expect((await client.put("/notifications")).status).toBe(403);
    expect((await client.get("/repos/alice/well/notifications")).status).toBe(404);
    const { status, body } = await client.get<Thread[]>(`${at}/notifications`);
    expect({ status, titles: body.map(({ subject }) => subject.title) }).toEqual({ status: 200, titles: ["known"] });
  });
});

describe("old ones", () => {
  test("that were read go after the days of the setting; unread and pinned ones stay", async () => {
    for (const title of ["old", "new", "unread", "pinned"]) {
      await open(alice, title, { assignees: [] });
    }
    await sql`insert into notification (user_id, repository_id, subject, issue_id, reason, status, updated_at)
      select ${bob.id}, repository_id, 'issue', id, 'watching', case title when 'unread' then 'unread' when 'pinned' then 'pinned' else 'read' end,
        now() - make_interval(days => case title when 'new' then 89 else 91 end) from issue`;
    await runRegularTask(app.forge, { task: "remove_read_notifications" }, new AbortController().signal);
    expect((await titles(bob, "?all=true")).toSorted()).toEqual(["new", "pinned", "unread"]);
  });
});
