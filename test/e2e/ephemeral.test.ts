import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiClient } from "../support/client.ts";
import { mustGit } from "../support/git.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, StithyProcess, runStithy } from "../support/stithy.ts";
import { until } from "../support/until.ts";

interface ReadyLine {
  ready: true;
  url: string;
  ssh: string;
  pid: number;
  data: string;
  users: Record<string, { password?: string; tokens: Record<string, string> }>;
}

/** Its own temporary folder, so that what a run leaves behind is seen. */
const temporary = new OpenDirectory(quickDirectory("stithy-e2e-"));
afterAll(() => temporary[Symbol.dispose]());

function start(seed: unknown, env: Record<string, string> = {}): StithyProcess {
  const args = seed === null ? [] : ["--seed", typeof seed === "string" ? seed : JSON.stringify(seed)];
  return new StithyProcess(["serve", "--ephemeral", "--port", "0", ...args], {
    env: { TMPDIR: temporary.path, ...env },
  });
}

function homes(): string[] {
  return readdirSync(temporary.path).filter((name) => name.startsWith("stithy-ephemeral-"));
}

function password(url: string, user: string, text = ""): ApiClient {
  return new ApiClient(url, { authorization: `Basic ${Buffer.from(`${user}:${text}`).toString("base64")}` });
}

describe("a seed", () => {
  let server: StithyProcess;
  let again: StithyProcess;
  let ready: ReadyLine;
  let second: ReadyLine;
  let bundleRefs = "";

  beforeAll(async () => {
    const work = temporary.join("work");
    await mustGit(temporary.path, ["init", "-q", "--object-format=sha256", "-b", "trunk", work]);
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "Bundled"]);
    await mustGit(work, ["tag", "-a", "-m", "One", "v1"]);
    await mustGit(work, ["bundle", "create", "-q", "all.bundle", "--all"]);
    bundleRefs = await mustGit(work, ["show-ref", "-d"]);
    const seed = {
      users: [
        {
          username: "root",
          password: "chosen password",
          email: "root@example.com",
          admin: true,
          tokens: [{ name: "given", value: "a-value-of-my-own", scopes: ["all"] }],
        },
        { username: "Alice", tokens: [{ name: "made", scopes: ["read:repository", "read:user"] }] },
      ],
      organizations: [{ name: "acme", owner: "alice" }],
      repositories: [
        {
          owner: "acme",
          name: "project",
          private: true,
          default_branch: "develop",
          commits: [
            { message: "First", files: { "README.md": "# Project\n", "src/a.ts": "export {};\n" } },
            { message: "Second\n\nWith a body", files: { "src/a.ts": "export const a = 1;\n" } },
          ],
        },
        {
          owner: "Alice",
          name: "bundled",
          bundle: "work/all.bundle",
          commits: [{ message: "On top", files: { file: "" } }],
        },
        { owner: "Alice", name: "same", bundle: "work/all.bundle" },
      ],
      labels: [
        { organization: "acme", name: "kind/bug", color: "#f00" },
        { repository: "acme/project", name: "good first", color: "00aabb" },
      ],
      milestones: [{ repository: "acme/project", title: "1.0" }],
      issues: [
        {
          repository: "acme/project",
          title: "It fails",
          labels: ["kind/bug", "good first"],
          milestone: "1.0",
          assignees: ["alice"],
          comments: [{ body: "It does, @alice", author: "root" }],
        },
        { repository: "acme/project", title: "It worked", state: "closed" },
      ],
    };
    writeFileSync(temporary.join("seed.json"), JSON.stringify(seed));
    server = start(temporary.join("seed.json"));
    again = start(temporary.join("seed.json"), { DATABASE_URL: "postgres://somebody@127.0.0.1:1/else" });
    [ready, second] = await Promise.all([server.ready<ReadyLine>(), again.ready<ReadyLine>()]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await again[Symbol.asyncDispose]();
  });

  test("is answered with where everything is", () => {
    const { users, ...line } = structuredClone(ready);
    expect(line).toEqual({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      ssh: expect.stringMatching(/^ssh:\/\/git@127\.0\.0\.1:\d+$/),
      pid: expect.any(Number),
      data: expect.any(String),
    });
    expect(users).toEqual({
      root: { tokens: { given: "a-value-of-my-own" } },
      Alice: {
        password: expect.stringMatching(/^[a-z2-9]{20}$/),
        tokens: { made: expect.stringMatching(/^sty_[0-9a-f]{40}$/) },
      },
    });
    expect(existsSync(ready.data)).toBe(true);
  });

  test("runs in the process that was started", () => {
    expect(ready.pid).toBe(server.pid);
  });

  test("makes users who sign in, with tokens of their scopes", async () => {
    const { url, users } = ready;
    expect((await password(url, "root", "chosen password").get("/user")).body).toMatchObject({
      id: 1,
      login: "root",
      email: "root@example.com",
      is_admin: true,
    });
    expect((await password(url, "alice", users["Alice"]?.password).get("/user")).body).toMatchObject({
      id: 2,
      login: "Alice",
      is_admin: false,
    });
    const token = new ApiClient(url, { authorization: `token ${users["Alice"]?.tokens["made"]}` });
    expect((await token.get("/user")).status).toBe(200);
    expect((await token.post("/user/repos", { name: "x" })).status).toBe(403);
  });

  test("makes repositories with the same commits each time", async () => {
    const log = await Promise.all(
      [ready, second].map(async ({ url }) => {
        const token = { authorization: "token a-value-of-my-own" };
        const repository = await new ApiClient(url, token).get("/repos/acme/project");
        expect(repository.body).toMatchObject({
          id: 1,
          full_name: "acme/project",
          private: true,
          default_branch: "develop",
          empty: false,
        });
        const to = temporary.join(`clone-${new URL(url).port}`);
        await mustGit(temporary.path, [
          "clone",
          "-q",
          `${url.replace("://", "://root:a-value-of-my-own@")}/acme/project.git`,
          to,
        ]);
        expect(readFileSync(`${to}/src/a.ts`, "utf8")).toBe("export const a = 1;\n");
        expect(readFileSync(`${to}/README.md`, "utf8")).toBe("# Project\n");
        return mustGit(to, ["log", "--format=%H %an <%ae> %aI %cI %s"]);
      }),
    );
    expect(log[0]).toBe(
      [
        "737ac21c30bdc7688a6d7f6f7b8b6a1297362ad9 Seed <seed@localhost> 2026-01-01T00:01:00+00:00 2026-01-01T00:01:00+00:00 Second",
        "4634901ea2ac7c59e61abc1dcd2ac338f5d09dcd Seed <seed@localhost> 2026-01-01T00:00:00+00:00 2026-01-01T00:00:00+00:00 First",
      ].join("\n"),
    );
    expect(log[1]).toBe(log[0] ?? "");
  });

  test("makes issues with labels, milestones and comments", async () => {
    const root = new ApiClient(ready.url, { authorization: "token a-value-of-my-own" });
    expect((await root.get("/repos/acme/project/issues/1")).body).toMatchObject({
      title: "It fails",
      user: { login: "Alice" },
      labels: [{ name: "good first" }, { name: "kind/bug" }],
      milestone: { title: "1.0", open_issues: 1 },
      assignees: [{ login: "Alice" }],
      comments: 1,
    });
    expect((await root.get("/repos/acme/project/issues/1/comments")).body).toMatchObject([
      { body: "It does, @alice", user: { login: "root" } },
    ]);
    expect((await root.get("/repos/acme/project/issues/2")).body).toMatchObject({ state: "closed", number: 2 });
  });

  test("takes in bundles, commits on top", async () => {
    const mirror = temporary.join("mirror.git");
    await mustGit(temporary.path, ["clone", "-q", "--mirror", `${ready.url}/alice/bundled.git`, mirror]);
    expect(await mustGit(mirror, ["symbolic-ref", "HEAD"])).toBe("refs/heads/trunk");
    const [oldTrunk = ""] = bundleRefs.split("\n");
    expect(await mustGit(mirror, ["rev-parse", "trunk~1"])).toBe(oldTrunk.split(" ")[0] ?? "");
    expect((await mustGit(mirror, ["show-ref", "-d"])).split("\n").slice(1)).toEqual(bundleRefs.split("\n").slice(1));
    expect(await mustGit(mirror, ["fsck", "--strict"])).toBe("");
    // The pack of a bundle that two repositories have is one, and no other is left over.
    await until("nothing is left in tmp", () => readdirSync(join(ready.data, "tmp")).length === 0);
  });

  test("leaves nothing behind at SIGTERM and SIGINT, and one line on standard output", async () => {
    expect(await Promise.all([server.stop("SIGTERM"), again.stop("SIGINT")])).toEqual([0, 0]);
    expect(homes()).toEqual([]);
    for (const [process, line] of [
      [server, ready],
      [again, second],
    ] as const) {
      expect(process.stdout).toBe(`${JSON.stringify(line)}\n`);
      expect(process.stderr).not.toContain("a-value-of-my-own");
      expect(process.stderr).not.toContain(line.users["Alice"]?.password ?? "");
    }
  });
});

describe("without a seed", () => {
  let server: StithyProcess;
  let ready: ReadyLine;
  let killed: string[];

  beforeAll(async () => {
    await using earlier = start(null);
    await earlier.ready();
    await earlier.stop("SIGKILL");
    killed = homes();
    server = start(null);
    ready = await server.ready<ReadyLine>();
  });
  afterAll(() => server.stop());

  test("there is one administrator", async () => {
    const { url, users } = ready;
    expect(Object.keys(users)).toEqual(["root"]);
    expect((await password(url, "root", users["root"]?.password).get("/user")).body).toMatchObject({
      login: "root",
      is_admin: true,
    });
    const token = new ApiClient(url, { authorization: `token ${users["root"]?.tokens["root"]}` });
    expect((await token.post("/user/repos", { name: "mine" })).status).toBe(201);
  });

  test("what a killed run left is removed, what a running one uses is not", async () => {
    expect(killed.length).toBe(1);
    await until("the killed run's directory is gone", () => homes().length === 1);
    await using other = start(null);
    await other.ready();
    await other.stop();
    expect(homes()).toEqual([ready.data.split("/").at(-1) ?? ""]);
  });

  test("health is 503 while the database is away and 200 when it is back", async () => {
    const health = async () => {
      const response = await fetch(`${ready.url}/api/healthz`);
      return {
        status: response.status,
        body: (await response.json()) as {
          status: string;
          checks: Record<string, { status: string; observedValue?: number; observedUnit?: string }>;
        },
      };
    };
    expect((await health()).body).toEqual({
      status: "pass",
      checks: {
        database: { status: "pass" },
        git: { status: "pass" },
        storage: { status: "pass" },
        packs: { status: "pass" },
        files: { status: "pass" },
        jobs: { status: "pass", observedValue: expect.any(Number), observedUnit: "s" },
      },
    });
    const [pid] = readFileSync(`${ready.data}/postgres/cluster/postmaster.pid`, "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
    await until("the database is missed", async () => {
      const { status, body } = await health();
      return status === 503 && body.checks["database"]?.status === "fail" && body.checks["git"]?.status === "pass";
    });
    await until("the database is back", async () => (await health()).status === 200);
    expect((await new ApiClient(ready.url).get("/version")).status).toBe(200);
  });
});

test("a wrong seed ends with 2 and all its problems, before anything is started", async () => {
  const seed = {
    users: [{ username: "a b", passwort: "x" }, { tokens: [{ name: "t", scopes: [] }] }],
    repositories: {},
  };
  const { code, stdout, stderr } = await runStithy(["serve", "--ephemeral", "--seed", JSON.stringify(seed)], {
    env: { TMPDIR: temporary.path },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  for (const place of [
    "users[0].passwort: there is no such key",
    "users[1].username: it is missing",
    "users[1].tokens[0].scopes: ",
    "repositories: must be array",
  ]) {
    expect(stderr).toContain(`  - ${place}`);
  }
  expect(homes()).toEqual([]);
});

test("a seed whose issues name what is not there ends with 2 and the place", async () => {
  const issue = { repository: "al/r", title: "x", labels: ["none"] };
  const seed = { users: [{ username: "al" }], repositories: [{ owner: "al", name: "r" }], issues: [issue] };
  const args = ["serve", "--ephemeral", "--port", "0", "--seed"];
  const runs = await Promise.all([
    runStithy([...args, JSON.stringify(seed)], { env: { TMPDIR: temporary.path } }),
    runStithy([...args, JSON.stringify({ ...seed, repositories: [] })], { env: { TMPDIR: temporary.path } }),
  ]);
  expect(runs.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 2, stdout: "" },
    { code: 2, stdout: "" },
  ]);
  expect(runs[0]?.stderr).toContain('  - issues[0].labels[0]: al/r has no label "none"');
  expect(runs[1]?.stderr).toContain('  - issues[0].repository: there is no repository "al/r"');
});

test("a cache directory that cannot be made is told in one line", async () => {
  const file = temporary.join("no-directory");
  writeFileSync(file, "");
  const { code, stderr } = await runStithy(["serve", "--ephemeral", "--port", "0"], {
    env: { TMPDIR: temporary.path, XDG_CACHE_HOME: join(file, "cache") },
  });
  const lines = stderr
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith('{"level":"info"'));
  expect(lines).toEqual([expect.stringMatching(/^stithy: .*no-directory\/cache/)]);
  expect(code).not.toBe(0);
  expect(homes()).toEqual([]);
});

test("a bundle that lacks commits ends with 2 and names its place, and nothing stays", async () => {
  const work = temporary.join("partial");
  await mustGit(temporary.path, ["init", "-q", "-b", "main", work]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "One"]);
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "Two"]);
  await mustGit(work, ["bundle", "create", "-q", "part.bundle", "main~1..main"]);
  const seed = {
    users: [{ username: "al" }],
    repositories: [{ owner: "al", name: "r", bundle: `${work}/part.bundle` }],
  };
  const { code, stderr } = await runStithy(["serve", "--ephemeral", "--seed", JSON.stringify(seed)], {
    env: { TMPDIR: temporary.path },
  });
  expect(stderr).toContain("repositories[0].bundle: ");
  expect(stderr).toContain("builds on 1 commits");
  expect(code).toBe(2);
  expect(homes()).toEqual([]);
});

test("hundreds of commits of a seed make one pack", async () => {
  const commits = Array.from({ length: 200 }, (_, index) => ({
    message: `Change ${index}`,
    files: { [`src/${index % 7}/file`]: `${index}\n`, log: `up to ${index}\n` },
  }));
  await using server = start({ users: [{ username: "al" }], repositories: [{ owner: "al", name: "r", commits }] });
  const { url, data } = await server.ready<ReadyLine>();
  const packs = readdirSync(`${data}/packs`, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".pack"),
  );
  expect(packs.length).toBe(1);
  const mirror = temporary.join("hundreds.git");
  await mustGit(temporary.path, ["clone", "-q", "--mirror", `${url}/al/r.git`, mirror]);
  expect(await mustGit(mirror, ["rev-list", "--count", "main"])).toBe("200");
  expect(await mustGit(mirror, ["show", "main:log"])).toBe("up to 199");
  expect(await mustGit(mirror, ["show", "main~5:src/5/file"])).toBe("194");
  expect(await mustGit(mirror, ["fsck", "--strict"])).toBe("");
});

test("a commit of a seed that cannot be made is named, and ends with 2", async () => {
  const commits = [
    { message: "a", files: { file: "" } },
    { message: "b", files: { "file/below": "" } },
  ];
  const seed = { users: [{ username: "al" }], repositories: [{ owner: "al", name: "r", commits }] };
  const { code, stderr } = await runStithy(["serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)], {
    env: { TMPDIR: temporary.path },
  });
  expect(stderr).toContain('repositories[0].commits[1]: Cannot write the file "file/below"');
  expect(code).toBe(2);
});

describe("signals while a request runs", () => {
  /** A server with a request whose body has begun. `finish` sends the rest. */
  async function withRequest() {
    const server = start(null);
    const { url, users } = await server.ready<ReadyLine>();
    const rest = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('{"name":'));
        await rest.promise;
        controller.enqueue(Buffer.from('"slow"}'));
        controller.close();
      },
    });
    const token = new ApiClient(url, { authorization: `token ${users["root"]?.tokens["root"]}` });
    const running = token
      .request("POST", "/user/repos", { body, headers: { "content-type": "application/json" } })
      .catch(() => null);
    await token.get("/user");
    return { server, running, finish: rest.resolve };
  }

  test("repeats of the first within two seconds are the same one: the request is finished", async () => {
    const { server, running, finish } = await withRequest();
    await using _ = server;
    server.kill("SIGINT");
    await server.logged("Stopping: running requests may finish");
    server.kill("SIGINT");
    server.kill("SIGTERM");
    finish();
    expect((await running)?.status).toBe(201);
    expect(await server.ended()).toBe(0);
  });

  test("a second one after two seconds does not wait for it", async () => {
    const { server, running } = await withRequest();
    await using _ = server;
    const started = performance.now();
    server.kill("SIGTERM");
    await server.logged("Stopping: running requests may finish");
    const repeating = setInterval(() => server.kill("SIGTERM"), 50);
    expect(await server.ended()).toBe(130);
    clearInterval(repeating);
    expect(performance.now() - started).toBeGreaterThan(1900);
    expect(await running).toBeNull();
  });
});
