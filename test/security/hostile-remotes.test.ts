import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { AddressPolicy } from "../../src/outbound/address-policy.ts";
import { OutboundClient } from "../../src/outbound/outbound-client.ts";
import { newJob } from "../../src/queue/enqueue.ts";
import { sha256 } from "../lfs/raw-lfs.ts";
import { GitHttpBackend } from "../support/git-http-backend.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { mustGit } from "../support/git.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Servers that migrations and mirrors call, and that mean harm; and users who have lost what they asked with. */

const app = await useTestApp({
  outbound: { allowed_networks: ["127.0.0.0/8", "::1"] },
  mirror: { most_refs: 1000 },
});
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const root = mkdtempSync(join(tmpdir(), "stithy-hostile-"));
const hostile = new GitHttpBackend({ root });
afterAll(async () => {
  await hostile[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

interface Failure {
  id: number;
  message: string;
}
const migrate = (body: object, api = alice.api) => api.post<Failure>("/repos/migrate", body);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256("content")}\nsize 7\n`;

beforeAll(async () => {
  using tree = await GitWorkTree.create("main");
  await tree.write("large.bin", pointer);
  await tree.git("add", "-A");
  await tree.git("commit", "-qm", "Pointer");
  await mustGit(root, ["clone", "-q", "--mirror", tree.directory, "some/source.git"]);
});

/** Has the API of the other server answer this, and git itself as usual. */
function answerApi(answer: (url: URL) => Response): void {
  hostile.intercept = (request) => {
    const url = new URL(request.url);
    return url.pathname.startsWith("/api/") ? answer(url) : null;
  };
}

describe("an API", () => {
  const request = { clone_addr: `${hostile.url}/some/source.git`, service: "gitea", labels: true };

  test("that answers millions of small values is refused before they are parsed", async () => {
    const bomb = `[${"[],".repeat(8_000_000)}[]]`;
    answerApi(() => new Response(bomb, { headers: { "content-type": "application/json" } }));
    const { status, body } = await migrate({ ...request, repo_name: "bomb" });
    expect([status, body.message]).toEqual([422, expect.stringContaining("more values than this server takes")]);
    expect((await alice.api.get("/repos/alice/bomb")).status).toBe(404);
  });

  test("whose lists have no end is told so", async () => {
    let made = 0;
    answerApi(() => {
      const items = Array.from({ length: 1000 }, () => ({ name: `label ${++made}` }));
      return Response.json(items, { headers: { link: '<http://127.0.0.1/>; rel="next"' } });
    });
    const { status, body } = await migrate({ ...request, repo_name: "endless" });
    expect([status, body.message]).toEqual([422, expect.stringContaining("lists more than 5000 items at /labels")]);
    expect((await alice.api.get("/repos/alice/endless")).status).toBe(404);
  });
});

describe("a list of refs", () => {
  const packet = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  const oid = "1".repeat(40);
  /** Has the other server announce these refs. */
  function announce(names: Iterable<string>): void {
    hostile.intercept = () => {
      const lines = names[Symbol.iterator]();
      const body = new ReadableStream({
        start: (to) =>
          to.enqueue(Buffer.from(`${packet("# service=git-upload-pack\n")}0000${packet(`${oid} HEAD\0agent=x\n`)}`)),
        pull: (to) => {
          const { value, done } = lines.next();
          if (done === true) {
            to.enqueue(Buffer.from("0000"));
            to.close();
          } else {
            to.enqueue(Buffer.from(packet(`${oid} ${value}\n`)));
          }
        },
      });
      return new Response(body, { headers: { "content-type": "application/x-git-upload-pack-advertisement" } });
    };
  }
  function* repeat(count: number, name: (at: number) => string): Generator<string> {
    for (let at = 0; at < count; at++) {
      yield name(at);
    }
  }

  test("has no more of them than the server takes", async () => {
    announce(repeat(1001, (at) => `refs/heads/b${at}`));
    const { status, body } = await migrate({ clone_addr: `${hostile.url}/x.git`, repo_name: "refs" });
    expect(status).toBe(422);
    expect(body.message).toContain(
      "has more than 1000 branches, tags and other refs: this server takes no more (mirror.most_refs)",
    );
  });

  test("may have others that nobody asks for, up to 64 MiB", async () => {
    announce(repeat(5000, (at) => `refs/pull/${at}/merge`));
    const few = await migrate({ clone_addr: `${hostile.url}/x.git`, repo_name: "merges" });
    expect(few.body.message ?? "").not.toContain("refs");
    announce(repeat(1200, (at) => `refs/other/${at}${"x".repeat(60_000)}`));
    const { status, body } = await migrate({ clone_addr: `${hostile.url}/x.git`, repo_name: "bytes" });
    expect([status, body.message]).toEqual([422, expect.stringContaining("has more than 67108864 bytes")]);
  });
});

describe("a mirror", () => {
  const make = async (name: string, api = alice.api) => {
    hostile.intercept = () => null;
    const { status, body } = await migrate(
      { clone_addr: `${hostile.url}/some/source.git`, repo_name: name, mirror: true },
      api,
    );
    expect(status).toBe(201);
    return body.id;
  };
  const errorOf = async (id: number) => {
    const [row] = await sql<{ error: string; failures: number }[]>`
      select last_error as error, failures from pull_mirror where repository_id = ${id}`;
    return row ?? { error: "", failures: 0 };
  };

  test.each([
    ["name", { "no header": "x" }],
    ["value", { "x-header": "a\nb" }],
  ])("whose LFS server asks for headers with an impossible %s keeps why, and rests", async (what, header) => {
    const id = await make(`headers-${what}`);
    await sql`update pull_mirror set lfs = true, synced_at = null where repository_id = ${id}`;
    hostile.intercept = (request) =>
      new URL(request.url).pathname.endsWith("/objects/batch")
        ? Response.json({
            objects: [{ oid: sha256("content"), size: 7, actions: { download: { href: hostile.url, header } } }],
          })
        : null;
    expect((await alice.api.post(`/repos/alice/headers-${what}/mirror-sync`)).status).toBe(200);
    await until("it failed", async () => (await errorOf(id)).failures > 0);
    expect((await errorOf(id)).error).toContain("no list of LFS objects");
  });

  test("keeps no more than a few words of what the other server says, in one line", async () => {
    const id = await make("words");
    const words = `ERR \u001b[31m${"very ".repeat(10_000)}`.slice(0, 60_000);
    const packet = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
    hostile.intercept = () =>
      new Response(`${packet("# service=git-upload-pack\n")}0000${packet(words)}0000`, {
        headers: { "content-type": "application/x-git-upload-pack-advertisement" },
      });
    expect((await alice.api.post("/repos/alice/words/mirror-sync")).status).toBe(200);
    await until("it failed", async () => (await errorOf(id)).failures > 0);
    const { error } = await errorOf(id);
    expect(error.length).toBeLessThanOrEqual(2500);
    expect(error).toMatch(/^\P{Cc}+$/u);
  });

  test("of somebody who is suspended stays where it is", async () => {
    const mallory = await app.user("mallory");
    const id = await make("suspended", mallory.api);
    const calls: string[] = [];
    hostile.intercept = (request) => {
      calls.push(request.url);
      return null;
    };
    await sql`update account set suspended = true where owner_id = ${mallory.id}`;
    const [before] = await sql`select tried_at from pull_mirror where repository_id = ${id}`;
    const root = await app.admin("root");
    expect((await root.api.post("/repos/mallory/suspended/mirror-sync")).status).toBe(200);
    await until("it was looked at", async () => {
      const [row] = await sql`select tried_at from pull_mirror where repository_id = ${id}`;
      return String(row?.["tried_at"]) !== String(before?.["tried_at"]);
    });
    expect(calls).toEqual([]);
    expect((await errorOf(id)).error).toContain("suspended");
  });
});

describe("a push mirror", () => {
  const failureOf = async (name: string, by = alice.api) =>
    (await by.get<{ last_error: string }[]>(`/repos/${name}/push_mirrors`)).body.map(
      ({ last_error: error }) => error,
    )[0];
  /** A mirror that `bob` makes, and has pushed with. Returns its id and the name of the repository. */
  async function made(name: string): Promise<{ id: number; name: string }> {
    hostile.intercept = () => null;
    await app.repository(alice, name);
    expect((await alice.api.put(`/repos/alice/${name}/collaborators/bob`, { permission: "admin" })).status).toBe(204);
    await mustGit(root, ["init", "-q", "--bare", `of-bob/${name}.git`]);
    await mustGit(join(root, `of-bob/${name}.git`), ["config", "http.receivepack", "true"]);
    const body = { remote_address: `${hostile.url}/of-bob/${name}.git`, interval: "0", sync_on_commit: true };
    expect((await bob.api.post(`/repos/alice/${name}/push_mirrors`, body)).status).toBe(200);
    const ended = async () => {
      const [row] = await sql<{ id: number; tried: string | null }[]>`
        select push_mirror.id::int as id, tried_at as tried from push_mirror
        join repository on repository.id = repository_id where repository.name = ${name}`;
      return row;
    };
    await until("it was tried", async () => (await ended())?.tried != null);
    expect(await failureOf(`alice/${name}`)).toBe("");
    return { id: (await ended())!.id, name };
  }

  test.each([
    [
      "may not administer the repository any more",
      "ranks",
      (name: string) => alice.api.put(`/repos/alice/${name}/collaborators/bob`, { permission: "write" }),
    ],
    ["is suspended", "suspensions", () => sql`update account set suspended = true where owner_id = ${bob.id}`],
    [
      "is gone",
      "deletions",
      (name: string) => sql`update push_mirror set maker_id = 999999999
      where repository_id = (select id from repository where name = ${name})`,
    ],
  ])("rests when whoever made it %s", async (_what, name, lose) => {
    await made(name);
    const calls: string[] = [];
    hostile.intercept = (request) => {
      calls.push(request.url);
      return null;
    };
    await lose(name);
    await using _restored = {
      [Symbol.asyncDispose]: async () =>
        void (await sql`update account set suspended = false where owner_id = ${bob.id}`),
    };
    const content = { content: btoa("secret"), message: "Of no concern to bob" };
    expect((await alice.api.post(`/repos/alice/${name}/contents/secret`, content)).status).toBe(201);
    await until("it rests", async () => (await failureOf(`alice/${name}`)) !== "");
    expect(await failureOf(`alice/${name}`)).toContain("may not administer the repository any more");
    expect(calls).toEqual([]);
  });
});

test("a filter of a push mirror that was made to take long is told so", async () => {
  await app.repository(alice, "filtered");
  const branches = Array.from({ length: 300 }, (_, at) => `refs/heads/${"a".repeat(180)}${at}`);
  using tree = await GitWorkTree.create("main");
  await tree.write("a", "b");
  await tree.git("add", "-A");
  await tree.git("commit", "-qm", "a");
  const to = `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/filtered.git`;
  await tree.git("push", "-q", to, ...branches.map((name) => `HEAD:${name}`));
  hostile.intercept = () => null;
  await mustGit(root, ["init", "-q", "--bare", "filtered.git"]);
  await mustGit(join(root, "filtered.git"), ["config", "http.receivepack", "true"]);
  const body = {
    remote_address: `${hostile.url}/filtered.git`,
    interval: "0",
    branch_filter: `*${"{,a}".repeat(500)}`,
  };
  expect((await alice.api.post("/repos/alice/filtered/push_mirrors", body)).status).toBe(200);
  const errorOf = async () =>
    (await alice.api.get<{ last_error: string }[]>("/repos/alice/filtered/push_mirrors")).body[0]?.last_error;
  await until("it rests", async () => (await errorOf()) !== "");
  expect(await errorOf()).toContain("takes too long to compare");
});

describe("an address", () => {
  test.each([
    ["git://127.0.0.1/%zz", "clone_addr"],
    ["ssh://git@127.0.0.1/%zz", "clone_addr"],
    ["https://ann:pa@ss@word here@example.com/x", "clone_addr"],
    ["https://ann:pa/ss@word@example.com/x", "clone_addr"],
    ["https://ann:pa#ss@word@example.com/x", "clone_addr"],
    ["https://ann:pa?ss@word@example.com/x", "clone_addr"],
  ])("that is none is refused without what may be a password: %s", async (address, field) => {
    hostile.intercept = () => null;
    const { status, body } = await migrate({ clone_addr: address, repo_name: "none" });
    expect(status).toBe(422);
    expect(body.message).toContain(field);
    expect(body.message).not.toMatch(/ann|pa[@/#?]|ss@|word/);
  });

  test("of a name that leads into private networks is refused without telling where it leads", async () => {
    const client = new OutboundClient({
      policy: new AddressPolicy([]),
      proxy: "",
      mayBypassProxy: false,
      userAgent: "test",
      resolve: async () => ["10.1.2.3"],
    });
    const error = await client.checkHost("database.internal").catch((one: unknown) => one);
    expect((error as Error).message).toContain('"database.internal"');
    expect((error as Error).message).not.toContain("10.1.2.3");
  });
});

test("whoever may not write to the repository any more has their migration ended, and nothing stays of it", async () => {
  hostile.intercept = () => null;
  await app.organization("works", alice);
  const team = await makeTeam(
    alice,
    "works",
    { name: "makers", permission: "admin", includes_all_repositories: true, can_create_org_repo: true },
    [bob],
  );
  const { status, body } = await migrate(
    { clone_addr: `${hostile.url}/some/source.git`, repo_name: "taken", repo_owner: "works" },
    bob.api,
  );
  expect(status).toBe(201);
  expect((await alice.api.delete(`/teams/${team.id}`)).status).toBe(204);
  await sql`delete from collaborator where user_id = ${bob.id}`;
  // As if it had waited for others until now.
  const [row] = await sql<{ id: number }[]>`
    update repository_migration set state = 'waiting' where repository_id = ${body.id} returning id::int`;
  const job = newJob("migration", { migrationId: row!.id }, { key: String(row!.id), principal: bob.id });
  await app.forge.change(serverDoer("test"), (work) => work.enqueue(job));
  await until("the migration has ended", async () => {
    const [{ state } = { state: "" }] = await sql<{ state: string }[]>`
      select state from repository_migration where id = ${row!.id}`;
    return state === "failed";
  });
  const [ended] = await sql<{ error: string }[]>`select error from repository_migration where id = ${row!.id}`;
  expect(ended?.error).toContain("may not");
  expect((await alice.api.get("/repos/works/taken")).status).toBe(404);
});

test("a hook whose filter was made to take long keeps nobody else's waiting", async () => {
  hostile.intercept = () => new Response("taken");
  for (const name of ["slow", "quick"]) {
    await app.repository(alice, name);
    const hook = {
      type: "gitea",
      active: true,
      config: { url: `${hostile.url}/hook`, content_type: "json" },
      events: ["push"],
    };
    const filter = name === "slow" ? `*${"{,a}".repeat(59)}` : "b*";
    expect((await alice.api.post(`/repos/alice/${name}/hooks`, { ...hook, branch_filter: filter })).status).toBe(201);
  }
  using tree = await GitWorkTree.create("main");
  await tree.write("a", "b");
  await tree.git("add", "-A");
  await tree.git("commit", "-qm", "a");
  const to = (name: string) => `${app.url.replace("://", `://alice:${alice.token}@`)}/alice/${name}.git`;
  const branches = Array.from({ length: 200 }, (_, at) => `HEAD:refs/heads/${at}${"a".repeat(190)}`);
  await tree.git("push", "-q", to("slow"), ...branches);
  await tree.git("push", "-q", to("quick"), "HEAD:refs/heads/b1");
  const told = async (name: string) => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from hook_delivery join hook on hook.id = hook_id
      join repository on repository.id = hook.repository_id where repository.name = ${name}`;
    return row?.count ?? 0;
  };
  await until("the other hook is told", async () => (await told("quick")) === 1);
  expect(await told("slow")).toBeWithin(1, 199);
});
