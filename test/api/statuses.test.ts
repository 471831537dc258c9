import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

interface StatusJson {
  id: number;
  status: string;
  context: string;
  description: string;
  target_url: string;
  creator: { login: string } | null;
  url: string;
}

interface CombinedJson {
  state: string;
  sha: string;
  total_count: number;
  statuses: StatusJson[];
  repository: { full_name: string };
}

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/built";
const absent = "0123456789abcdef0123456789abcdef01234567";
const family = { headers: { "user-agent": "go-gitea/1.26" } };
const commits: string[] = [];
const at = (place: number) => commits[place] ?? "";
const stored = async () => Number((await sql`select count(*) as n from commit_status`)[0]?.["n"]);

beforeAll(async () => {
  await app.repository(alice, "built");
  for (let number = 0; number < 12; number++) {
    await work.write("a", `${number}\n`);
    commits.push(await work.commit(`commit ${number}`));
  }
  await work.git("tag", "-a", "-m", "one", "v1", at(1));
  await work.git("branch", "feature/slow", at(1));
  await work.push(`${app.url}/alice/built.git`, alice.token, "main", "v1", "feature/slow");
});

const post = (place: number, body: object) =>
  alice.api.post<StatusJson[]>(`${base}/statuses/${at(place)}`, { ...body });

describe("who may", () => {
  test("only those who may write to the code add statuses", async () => {
    const reader = await app.scoped(alice, "read:repository");
    const body = { state: "success" };
    const path = `${base}/statuses/${at(0)}`;
    expect((await app.anonymous.post(path, body)).status).toBe(401);
    expect((await bob.api.post(path, body)).status).toBe(403);
    expect((await reader.post(path, body)).status).toBe(403);
    await app.repository(alice, "kept", { private: true, auto_init: true });
    expect((await bob.api.post("/repos/alice/kept/statuses/main", body)).status).toBe(404);
    expect((await bob.api.get("/repos/alice/kept/statuses/main")).status).toBe(404);
    expect((await bob.api.get("/repos/alice/kept/commits/main/status")).status).toBe(404);
    expect((await bob.api.get("/repos/alice/kept/commits/main/statuses")).status).toBe(404);
    await app.repository(alice, "archive", { auto_init: true });
    await alice.api.patch("/repos/alice/archive", { archived: true });
    expect((await alice.api.post("/repos/alice/archive/statuses/main", body)).status).toBe(423);
    expect(await stored()).toBe(0);
  });

  test("a team that writes issues only is none of them, and one that writes code is", async () => {
    await app.organization("forge", alice);
    await alice.api.post("/orgs/forge/repos", { name: "tool", private: true, auto_init: true });
    await makeTeam(
      alice,
      "forge",
      { name: "triage", units_map: { "repo.issues": "write" }, includes_all_repositories: true },
      [bob],
    );
    expect((await bob.api.post("/repos/forge/tool/statuses/main", { state: "success" })).status).toBe(404);
    await makeTeam(
      alice,
      "forge",
      { name: "ci", units_map: { "repo.code": "write" }, includes_all_repositories: true },
      [bob],
    );
    expect((await bob.api.post("/repos/forge/tool/statuses/main", { state: "success" })).status).toBe(200);
  });
});

describe("refused, and nothing is stored", () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ["no state", {}, "state is required"],
    ["a state that is none", { state: "green" }, "state must be one of pending, success"],
    ["the name that answers have for it", { status: "success" }, "state is required"],
    ["a long context", { state: "error", context: "c".repeat(256) }, "context has 256 characters"],
    ["a long description", { state: "error", description: "d".repeat(1025) }, "description has 1025 characters"],
    ["a long address", { state: "error", target_url: `http://x/${"y".repeat(2048)}` }, "target_url has 2057"],
    ["a script", { state: "error", target_url: "javascript:alert(1)" }, 'not "javascript:alert(1)"'],
    ["a file", { state: "error", target_url: "file:///etc/passwd" }, "target_url must be an absolute address"],
    ["half an address", { state: "error", target_url: "/builds/1" }, "target_url must be an absolute address"],
    ["an address with a line in it", { state: "error", target_url: "http://x/\ny" }, "target_url must be an absolute"],
    ["a number", { state: "error", context: 5 }, "context must be valid"],
  ];
  test.each(cases)("%s", async (_, body, message) => {
    const before = await stored();
    const answer = await alice.api.post<{ message: string }>(`${base}/statuses/${at(0)}`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(message);
    expect(await stored()).toBe(before);
  });

  test.each([absent, "none", "v2", "a..b", "HEAD~1", "abc"])("the commit %s, which does not exist", async (name) => {
    const before = await stored();
    const path = `${base}/statuses/${encodeURIComponent(name)}`;
    const answer = await alice.api.post<{ message: string }>(path, { state: "success" });
    expect([answer.status, answer.body.message]).toEqual([404, `There is no branch, tag or commit "${name}"`]);
    expect((await alice.api.get(path)).status).toBe(404);
    expect((await alice.api.get(`${base}/commits/${encodeURIComponent(name)}/status`)).status).toBe(404);
    expect((await alice.api.get(`${base}/commits/${encodeURIComponent(name)}/statuses`)).status).toBe(404);
    expect(await stored()).toBe(before);
  });

  test("a commit that another repository has, and a tree", async () => {
    await app.repository(alice, "other", { auto_init: true });
    const tree = await work.git("rev-parse", "main^{tree}");
    for (const [repository, oid] of [
      ["other", at(0)],
      ["built", tree],
    ]) {
      expect((await alice.api.post(`/repos/alice/${repository}/statuses/${oid}`, { state: "error" })).status).toBe(404);
    }
  });

  test("one context more than a commit may have, and one status more", async () => {
    const oid = Buffer.from(at(11), "hex");
    const [repository] = await sql`select id from repository where lower_name = 'built'`;
    const id = Number(repository?.["id"]);
    await sql`insert into latest_commit_status select ${id}, ${oid}, 'c' || n, n, 'success', 1 from generate_series(1, 1000) n`;
    const more = await alice.api.post<{ message: string }>(`${base}/statuses/${at(11)}`, { state: "error" });
    expect([more.status, more.body.message]).toEqual([
      422,
      "The commit has 1000 contexts, which is the most it may have",
    ]);
    await sql`update latest_commit_status set count = 10000 where context = 'c1'`;
    const again = await alice.api.post<{ message: string }>(`${base}/statuses/${at(11)}`, {
      state: "error",
      context: "c1",
    });
    expect([again.status, again.body.message]).toEqual([
      422,
      'The context "c1" has 10000 statuses of the commit, which is the most it may have',
    ]);
    await sql`insert into commit_status_total values (${id}, ${oid}, 'success', 20000)`;
    const last = await alice.api.post<{ message: string }>(`${base}/statuses/${at(11)}`, {
      state: "error",
      context: "c2",
    });
    expect([last.status, last.body.message]).toEqual([
      422,
      "The commit has 20000 statuses, which is the most it may have",
    ]);
  });
});

describe("create", () => {
  test("answers the list, and clients of the family the new one, whole", async () => {
    const body = {
      state: "pending",
      context: "ci/build",
      description: "Building\nnow",
      target_url: "https://ci.example.org/1",
    };
    const first = await post(2, body);
    expect(first.status).toBe(200);
    expect(first.headers.get("x-total-count")).toBe("1");
    const { body: user } = await app.anonymous.get("/users/alice");
    const whole = {
      id: "<id>",
      status: "pending",
      target_url: "https://ci.example.org/1",
      description: "Building now",
      url: `<url>/api/v1${base}/statuses/${at(2)}`,
      context: "ci/build",
      creator: redact(user),
      created_at: "<time>",
      updated_at: "<time>",
    };
    expect(redact(first.body)).toEqual([whole]);
    const second = await alice.api.request<StatusJson>("POST", `${base}/statuses/${at(2)}`, {
      body: { state: "success" },
      ...family,
    });
    expect(second.status).toBe(201);
    expect(redact(second.body)).toEqual({
      ...whole,
      status: "success",
      target_url: "",
      description: "",
      context: "default",
    });
    const third = await post(2, { state: "failure", context: " " });
    expect(third.body.map(({ status, context }) => [status, context])).toEqual([
      ["failure", "default"],
      ["success", "default"],
      ["pending", "ci/build"],
    ]);
  });

  test("tells an event, by a branch, a tag or the first digits", async () => {
    for (const name of ["feature%2Fslow", "v1", at(1).slice(0, 7), at(1).toUpperCase()]) {
      const { body } = await alice.api.post<StatusJson[]>(`${base}/statuses/${name}`, {
        state: "skipped",
        context: name,
      });
      expect(body[0]?.url).toEndWith(`${base}/statuses/${at(1)}`);
    }
    const rows = await sql`select payload from outbox where kind = 'status.created' order by id desc limit 1`;
    expect(rows[0]?.["payload"]).toMatchObject({
      repository: { name: "built", owner: { name: "alice" } },
      oid: at(1),
      context: at(1).toUpperCase(),
      state: "skipped",
    });
  });

  test("many at once are numbered without gaps", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => post(3, { state: "success", context: `c${number % 4}` })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const rows = await sql`select index from commit_status where oid = ${Buffer.from(at(3), "hex")} order by index`;
    expect(rows.map((row) => row["index"])).toEqual(Array.from({ length: 20 }, (_, number) => number + 1));
    expect((await alice.api.get<CombinedJson>(`${base}/commits/${at(3)}/status`)).body.total_count).toBe(4);
  });
});

describe("lists", () => {
  const states = ["pending", "error", "success", "pending", "failure", "warning", "skipped"];
  beforeAll(async () => {
    for (const [number, state] of states.entries()) {
      await post(4, { state, context: `c${number % 3}`, description: String(number) });
    }
  });
  const numbers = async (query: string) => {
    const { body, headers } = await app.anonymous.get<StatusJson[]>(`${base}/statuses/${at(4)}${query}`);
    return { total: headers.get("x-total-count"), numbers: body.map(({ description }) => Number(description)) };
  };

  test.each([
    ["", [6, 5, 4, 3, 2, 1, 0]],
    ["?sort=recentupdate", [6, 5, 4, 3, 2, 1, 0]],
    ["?sort=highestindex", [6, 5, 4, 3, 2, 1, 0]],
    ["?sort=oldest", [0, 1, 2, 3, 4, 5, 6]],
    ["?sort=leastupdate", [0, 1, 2, 3, 4, 5, 6]],
    ["?sort=leastindex", [0, 1, 2, 3, 4, 5, 6]],
    ["?limit=3", [6, 5, 4]],
    ["?limit=3&page=3", [0]],
    ["?limit=3&page=4", []],
    ["?limit=3&page=2&sort=oldest", [3, 4, 5]],
    ["?limit=5&page=2&sort=oldest", [5, 6]],
  ])("by %s", async (query, expected) => {
    expect(await numbers(query)).toEqual({ total: "7", numbers: expected });
  });

  test.each([
    ["?state=pending", "2", [3, 0]],
    ["?state=pending&sort=oldest&limit=1&page=2", "2", [3]],
    ["?state=skipped", "1", [6]],
    ["?state=error&page=2", "1", []],
  ])("of one state, by %s", async (query, total, expected) => {
    expect(await numbers(query)).toEqual({ total, numbers: expected });
  });

  test.each(["sort=newest", "state=green", "page=x"])("refuses %s", async (query) => {
    expect((await app.anonymous.get(`${base}/statuses/${at(4)}?${query}`)).status).toBe(422);
    expect((await app.anonymous.get(`${base}/commits/${at(4)}/statuses?${query}`)).status).toBe(422);
  });

  test("by a reference: the combined status, and the list for everything but plain HTTP tools, and for those that page or filter", async () => {
    const path = `${base}/commits/${at(4)}/statuses`;
    const combined = await app.anonymous.get<CombinedJson>(path);
    expect([combined.body.state, combined.body.total_count]).toEqual(["failure", 3]);
    const listed = await app.anonymous.request<StatusJson[]>("GET", path, family);
    expect(listed.body.map(({ description }) => Number(description))).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(listed.headers.get("x-total-count")).toBe("7");
    for (const query of ["page=1", "limit=50", "sort=recentupdate", "state=success"]) {
      const { body } = await app.anonymous.get<StatusJson[]>(`${path}?${query}`);
      expect([query, Array.isArray(body), body.length]).toEqual([query, true, query === "state=success" ? 1 : 7]);
    }
    for (const [agent, isList] of [
      ["Renovate/44.2.1 (https://github.com/renovatebot/renovate)", true],
      ["Java/17.0.9", true],
      ["curl/8.5.0", false],
      ["", false],
    ] as const) {
      const { body } = await app.anonymous.request("GET", path, { headers: { "user-agent": agent } });
      expect([agent, Array.isArray(body)]).toEqual([agent, isList]);
    }
  });
});

describe("the combined status", () => {
  test("is pending and empty without statuses, whole", async () => {
    const { status, body, headers } = await app.anonymous.get(`${base}/commits/${at(5)}/status`);
    expect([status, headers.get("x-total-count")]).toEqual([200, "0"]);
    expect(redact(body)).toEqual({
      state: "pending",
      sha: at(5),
      total_count: 0,
      statuses: [],
      repository: redact((await app.anonymous.get(base)).body),
      commit_url: `<url>/api/v1${base}/git/commits/${at(5)}`,
      url: `<url>/api/v1${base}/commits/${at(5)}/status`,
    });
  });

  test("is the worst of the newest status of each context", async () => {
    const state = async () => (await app.anonymous.get<CombinedJson>(`${base}/commits/${at(6)}/status`)).body.state;
    for (const [context, sent, expected] of [
      ["a", "skipped", "success"],
      ["b", "success", "success"],
      ["c", "pending", "pending"],
      ["d", "warning", "warning"],
      ["e", "failure", "failure"],
      ["f", "error", "error"],
      ["f", "success", "failure"],
      ["e", "success", "warning"],
      ["d", "success", "pending"],
      ["c", "success", "success"],
    ]) {
      expect((await post(6, { state: sent, context })).status).toBe(200);
      expect([context, sent, await state()]).toEqual([context, sent, expected]);
    }
  });

  test("pages through contexts, and its state is that of all", async () => {
    for (const [context, state] of [
      ["a", "failure"],
      ["b", "success"],
      ["a", "error"],
      ["c", "success"],
    ]) {
      await post(7, { context, state });
    }
    const pages = [];
    for (const page of [1, 2]) {
      const { body, headers } = await app.anonymous.get<CombinedJson>(
        `${base}/commits/${at(7)}/status?limit=2&page=${page}`,
      );
      expect(headers.get("x-total-count")).toBe("3");
      pages.push([body.state, body.total_count, body.statuses.map(({ context, status }) => `${context} ${status}`)]);
    }
    expect(pages).toEqual([
      ["error", 3, ["c success", "a error"]],
      ["error", 3, ["b success"]],
    ]);
  });

  test("is found by branch, tag and first digits, also for the family", async () => {
    for (const name of ["feature%2Fslow", "v1", at(1).slice(0, 8), "refs%2Fheads%2Ffeature%2Fslow"]) {
      const { body } = await app.anonymous.request<CombinedJson>("GET", `${base}/commits/${name}/status`, family);
      expect([name, body.sha, body.state, body.total_count]).toEqual([name, at(1), "success", 4]);
    }
  });
});

test("statuses go with the repository, and outlive their creator", async () => {
  await app.repository(alice, "short", { auto_init: true });
  const carol = await app.user("carol");
  await alice.api.put("/repos/alice/short/collaborators/carol", { permission: "write" });
  await carol.api.post("/repos/alice/short/statuses/main", { state: "error", context: "x" });
  const root = await app.admin();
  expect((await root.api.delete("/admin/users/carol?purge=true")).status).toBe(204);
  const { body } = await alice.api.get<CombinedJson>("/repos/alice/short/commits/main/status");
  expect([body.state, body.statuses.map(({ creator }) => creator)]).toEqual(["error", [null]]);
  const [repository] = await sql`select id from repository where lower_name = 'short'`;
  const id = Number(repository?.["id"]);
  const rows = async () =>
    Number(
      (
        await sql`select (select count(*) from commit_status where repository_id = ${id}) + (select count(*) from latest_commit_status where repository_id = ${id})
          + (select count(*) from commit_status_total where repository_id = ${id}) as n`
      )[0]?.["n"],
    );
  expect(await rows()).toBe(3);
  await alice.api.delete("/repos/alice/short");
  expect(await rows()).toBe(0);
});

test("a creator whom the viewer may not know of is not told", async () => {
  await app.repository(alice, "quiet", { auto_init: true });
  const dora = await app.user("dora");
  await alice.api.put("/repos/alice/quiet/collaborators/dora", { permission: "write" });
  await sql`update owner set visibility = 'private' where lower_name = 'dora'`;
  const added = await dora.api.post<StatusJson[]>("/repos/alice/quiet/statuses/main", { state: "success" });
  expect(added.body[0]?.creator?.login).toBe("dora");
  const { body } = await app.anonymous.get<StatusJson[]>("/repos/alice/quiet/statuses/main");
  expect(body.map(({ creator }) => creator)).toEqual([null]);
});
