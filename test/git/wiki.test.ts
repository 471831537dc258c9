import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requestDueRepacks } from "../../src/domain/server/maintenance/request-repacks.ts";
import { listPacks } from "../../src/domain/git/packs/queries.ts";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** The real git and a wiki, over HTTP and SSH: who may clone and push it, and what of it is seen nowhere else. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 }, auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("alice");
const writer = await app.user("writer");
const reader = await app.user("reader");
const stranger = await app.user("stranger");
const scratch = new Scratch();
const keys = new Map<string, SshKeyPair>();
const work = scratch.join("work");

beforeAll(async () => {
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  await page("Home.md", "Welcome\n");
  for (const user of [alice, writer, reader, stranger]) {
    const key = new SshKeyPair();
    await key.addTo(user);
    keys.set(user.name, key);
  }
});

afterAll(() => {
  keys.forEach((key) => key[Symbol.dispose]());
  scratch[Symbol.dispose]();
});

async function page(name: string, text: string): Promise<void> {
  await writeFile(join(work, name), text);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `Write ${name}`]);
}

type Way = "http" | "ssh";
const host = app.url.replace("http://", "");

/** The address of a wiki for a user, or for nobody, and how git gets there. */
function wikiAt(way: Way, name: string, user: TestUser | null): { url: string; env: Record<string, string> } {
  if (way === "ssh") {
    return { url: `${app.ssh}/${name}.wiki.git`, env: keys.get(user?.name ?? "")?.env ?? {} };
  }
  const who = user === null ? "" : `${user.name}:${user.token}@`;
  return { url: `http://${who}${host}/${name}.wiki.git`, env: {} };
}

async function read(way: Way, name: string, user: TestUser | null): Promise<string> {
  const { url, env } = wikiAt(way, name, user);
  const run = await runGit(work, ["ls-remote", url], { env });
  return run.code === 0 ? "read" : run.stderr;
}

async function write(way: Way, name: string, user: TestUser | null): Promise<string> {
  const { url, env } = wikiAt(way, name, user);
  // A branch of its own each time: a push that has nothing to say would say that it went well.
  const run = await runGit(work, ["push", url, "main", `main:refs/heads/${crypto.randomUUID()}`], { env });
  return run.code === 0 ? "written" : run.stderr;
}

/** A repository of alice's with a wiki of one page, a writer and a reader. */
async function repository(name: string, fields: Record<string, unknown> = {}): Promise<string> {
  await app.repository(alice, name, fields);
  await alice.api.put(`/repos/alice/${name}/collaborators/writer`, { permission: "write" });
  await alice.api.put(`/repos/alice/${name}/collaborators/reader`, { permission: "read" });
  expect(await write("http", `alice/${name}`, alice)).toBe("written");
  return `alice/${name}`;
}

const missing = (name: string) => new RegExp(`no repository "${name}.wiki"|repository '.*' not found`);
const readOnly = /You may read the wiki of "[^"]*", but not write to it|403/;

describe.each<Way>(["http", "ssh"])("over %s", (way) => {
  test("a private wiki is missing for strangers, read by readers and written by writers", async () => {
    const name = await repository(`private-${way}`, { private: true });
    expect(await read(way, name, stranger)).toMatch(missing(name));
    expect(await write(way, name, stranger)).toMatch(missing(name));
    expect(await read(way, name, reader)).toBe("read");
    expect(await write(way, name, reader)).toMatch(readOnly);
    expect(await read(way, name, writer)).toBe("read");
    expect(await write(way, name, writer)).toBe("written");
    if (way === "http") {
      expect(await read(way, name, null)).toContain("could not read Username");
    }
  });

  test("a public wiki is read by all and written by writers", async () => {
    const name = await repository(`public-${way}`);
    expect(await read(way, name, stranger)).toBe("read");
    expect(await write(way, name, stranger)).toMatch(readOnly);
    expect(await write(way, name, writer)).toBe("written");
  });

  test("a wiki that everybody may edit is written by whoever is signed in and may read", async () => {
    const name = await repository(`open-${way}`, { private: true });
    await alice.api.patch(`/repos/${name}`, { globally_editable_wiki: true });
    expect(await write(way, name, stranger)).toMatch(missing(name));
    expect(await write(way, name, reader)).toBe("written");
    await alice.api.patch(`/repos/${name}`, { private: false });
    expect(await write(way, name, stranger)).toBe("written");
    await alice.api.put("/user/block/stranger");
    expect(await write(way, name, stranger)).toMatch(readOnly);
    await alice.api.put("/user/unblock/stranger");
    if (way === "http") {
      expect(await write(way, name, null)).toContain("could not read Username");
    }
    // The code is written by those who may write code.
    const { url, env } = wikiAt(way, name, reader);
    const code = await runGit(work, ["push", url.replace(".wiki.git", ".git"), "main"], { env });
    expect(code.stderr).toMatch(/may read "[^"]*", but not push to it|403/);
  });

  test("an archived wiki is read only", async () => {
    const name = await repository(`archived-${way}`);
    await alice.api.patch(`/repos/${name}`, { archived: true });
    expect(await read(way, name, writer)).toBe("read");
    expect(await write(way, name, writer)).toMatch(/archived|423/);
  });

  test("there is no wiki where it is turned off or elsewhere", async () => {
    const name = await repository(`off-${way}`);
    await alice.api.patch(`/repos/${name}`, { has_wiki: false });
    expect(await read(way, name, alice)).toMatch(missing(name));
    expect(await write(way, name, alice)).toMatch(missing(name));
    await alice.api.patch(`/repos/${name}`, {
      has_wiki: true,
      external_wiki: { external_wiki_url: "https://wiki.example.org" },
    });
    expect(await read(way, name, alice)).toMatch(missing(name));
    await alice.api.patch(`/repos/${name}`, { has_wiki: true });
    expect(await read(way, name, alice)).toBe("read");
  });

  test("a clone of a wiki that nobody wrote is empty, and its first push is of any branch", async () => {
    const name = `alice/fresh-${way}`;
    await app.repository(alice, `fresh-${way}`);
    const { url, env } = wikiAt(way, name, alice);
    const clone = scratch.join(`fresh-${way}`);
    const cloned = await runGit(scratch.path, ["clone", url, clone], { env });
    expect([cloned.code, cloned.stderr]).toEqual([0, expect.stringContaining("empty repository")]);
    await mustGit(work, ["push", "-q", url, "main:refs/heads/pages"], { env });
    expect((await alice.api.get<{ wiki_branch: string }>(`/repos/${name}`)).body.wiki_branch).toBe("pages");
    await mustGit(scratch.path, ["clone", "-q", url, scratch.join(`pages-${way}`)], { env });
    expect(await mustGit(scratch.join(`pages-${way}`), ["log", "--format=%s", "-1"])).toContain("Write ");
    expect(await mustGit(scratch.join(`pages-${way}`), ["branch", "--show-current"])).toBe("pages");
  });
});

test("a team that has the unit writes the wiki and nothing else", async () => {
  await app.organization("works", alice);
  await alice.api.post("/orgs/works/repos", { name: "site", private: true });
  await makeTeam(
    alice,
    "works",
    { name: "docs", units_map: { "repo.wiki": "write" }, includes_all_repositories: true, permission: "read" },
    [writer],
  );
  await makeTeam(
    alice,
    "works",
    { name: "code", units_map: { "repo.code": "write" }, includes_all_repositories: true, permission: "read" },
    [reader],
  );
  expect(await write("http", "works/site", writer)).toBe("written");
  expect(await read("http", "works/site", reader)).toMatch(missing("works/site"));
  const code = await runGit(work, ["ls-remote", `http://writer:${writer.token}@${host}/works/site.git`]);
  expect(code.stderr).toContain("not found");
});

test("a deploy key and a token without the scope open no wiki", async () => {
  const name = await repository("keys", { private: true });
  using key = new SshKeyPair();
  await key.deploy(alice, "keys", false);
  const { url } = wikiAt("ssh", name, null);
  expect((await runGit(work, ["ls-remote", url], { env: key.env })).stderr).toMatch(missing(name));
  const token = await app.token(alice, ["read:repository"]);
  const read = await runGit(work, ["push", `http://alice:${token}@${host}/${name}.wiki.git`, "main"]);
  expect(read.stderr).toContain("403");
});

test("a push option for the repository is refused on its wiki", async () => {
  const name = await repository("options");
  const { url } = wikiAt("http", name, alice);
  const run = await runGit(work, ["push", "-o", "repo.private=true", url, "main:refs/heads/other"]);
  expect(run.stderr).toContain("is for the repository: push it there, not to its wiki");
  expect((await alice.api.get<{ private: boolean }>(`/repos/${name}`)).body.private).toBe(false);
});

test("code and wiki have nothing of each other", async () => {
  const name = await repository("apart");
  const code = `http://alice:${alice.token}@${host}/${name}.git`;
  const wiki = wikiAt("http", name, alice).url;
  expect(await mustGit(work, ["ls-remote", code])).toBe("");
  const oid = await mustGit(work, ["rev-parse", "main"]);
  expect((await alice.api.get(`/repos/${name}/git/commits/${oid}`)).status).toBe(404);
  const other = scratch.join("apart");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", other]);
  await mustGit(other, ["commit", "-q", "--allow-empty", "-m", "code"]);
  await mustGit(other, ["push", "-q", code, "main"]);
  expect((await runGit(other, ["fetch", code, oid])).stderr).toContain("not our ref");
  expect(await mustGit(work, ["ls-remote", wiki, "refs/heads/main"])).toBe(`${oid}\trefs/heads/main`);
});

test("the wiki goes where its repository goes, and with it", async () => {
  const name = await repository("moving");
  await alice.api.patch(`/repos/${name}`, { name: "moved" });
  expect(await read("http", "alice/moved", alice)).toBe("read");
  // A clone of the former name goes on working.
  expect(await read("http", "alice/moving", alice)).toBe("read");
  const { sql } = app.forge.database;
  const packs = () =>
    sql`select retired_at from pack join repository_pack on pack_id = pack.id where repository_id < 0`;
  const left = (await packs()).length;
  expect((await alice.api.delete("/repos/alice/moved")).status).toBe(204);
  expect((await packs()).length).toBe(left - 1);
  expect(await read("http", "alice/moved", alice)).toMatch(missing("alice/moved"));
  await app.repository(alice, "moved");
  expect(await mustGit(work, ["ls-remote", wikiAt("http", "alice/moved", alice).url])).toBe("");
});

test("a fork has the code and not the wiki, and a repository's size is that of its code", async () => {
  const name = await repository("forked");
  await alice.api.post(`/repos/${name}/contents/README.md`, { content: "", message: "code" });
  const sizes = () =>
    app.forge.database.sql`select wiki.git_bytes as wiki, repository_size.git_bytes as code,
      (select sum(bytes) from pack join repository_pack on pack_id = pack.id where repository_pack.repository_id = wiki.id) as packs
      from wiki join repository_size on repository_size.repository_id = -wiki.id
      join repository on repository.id = -wiki.id where lower_name = 'forked'`;
  const [before] = await sizes();
  await page("More.md", "More\n".repeat(1000));
  expect(await write("http", name, alice)).toBe("written");
  const [after] = await sizes();
  expect(Number(after?.["wiki"])).toBeGreaterThan(Number(before?.["wiki"]));
  expect(after?.["wiki"]).toBe(after?.["packs"]);
  expect(after?.["code"]).toBe(before?.["code"]);
  expect((await stranger.api.post(`/repos/${name}/forks`, {})).status).toBe(202);
  expect((await stranger.api.patch("/repos/stranger/forked", { has_wiki: true })).status).toBe(200);
  expect(await mustGit(work, ["ls-remote", wikiAt("http", "stranger/forked", stranger).url])).toBe("");
  expect(await write("http", "stranger/forked", stranger)).toBe("written");
  expect(await mustGit(work, ["ls-remote", wikiAt("http", name, alice).url])).not.toBe(
    await mustGit(work, ["ls-remote", wikiAt("http", "stranger/forked", stranger).url]),
  );
});

test("an archive of a wiki is made over SSH", async () => {
  const name = await repository("archive");
  const { url, env } = wikiAt("ssh", name, reader);
  const listed = await runGit(work, ["archive", "--remote", url, "--format=tar", "main", "Home.md"], { env });
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("Welcome")]);
});

test("the wiki of a repository with SHA-256 has the same kind of names", async () => {
  await app.repository(alice, "long", { object_format_name: "sha256" });
  const title = { title: "Home", content_base64: Buffer.from("long").toString("base64") };
  expect((await alice.api.post("/repos/alice/long/wiki/new", title)).status).toBe(201);
  const clone = scratch.join("long");
  await mustGit(scratch.path, ["clone", "-q", wikiAt("http", "alice/long", alice).url, clone]);
  expect(await mustGit(clone, ["rev-parse", "HEAD"])).toMatch(/^[0-9a-f]{64}$/);
  await mustGit(clone, ["fsck", "--strict"]);
});

test("a wiki is as open as its repository is, whoever gets it", async () => {
  const name = await repository("given");
  await alice.api.patch(`/repos/${name}`, { private: true });
  expect(await read("http", name, stranger)).toMatch(missing(name));
  await app.organization("heirs", alice);
  expect((await alice.api.post(`/repos/${name}/transfer`, { new_owner: "heirs" })).status).toBe(202);
  expect(await read("http", "heirs/given", alice)).toBe("read");
  expect(await read("http", "heirs/given", stranger)).toMatch(missing("heirs/given"));
  expect((await alice.api.get("/repos/heirs/given/wiki/page/Home")).status).toBe(200);
});

test("packs of a wiki are put together as those of code are", async () => {
  const name = await repository("packs");
  const { url } = wikiAt("http", name, alice);
  for (let number = 0; number < 12; number++) {
    await page(`Pack-${number}.md`, `${number}\n`);
    await mustGit(work, ["push", "-q", url, "main"]);
  }
  const [row] = await app.forge.database.sql`select id from repository where lower_name = 'packs'`;
  const packs = async () => (await listPacks(app.forge.database.db, -Number(row?.["id"]))).length;
  expect(await packs()).toBeGreaterThan(3);
  expect(await requestDueRepacks(app.forge)).toBeGreaterThan(0);
  await until("the packs are put together", async () => (await packs()) < 4);
  expect((await alice.api.get(`/repos/${name}/wiki/page/Pack-3`)).status).toBe(200);
  const clone = scratch.join("packs");
  await mustGit(scratch.path, ["clone", "-q", url, clone]);
  await mustGit(clone, ["fsck", "--strict"]);
  const [counted] = await app.forge.database.sql`select git_bytes = (select sum(bytes) from pack join repository_pack
    on pack_id = pack.id where repository_id = wiki.id) as same from wiki where id = ${-Number(row?.["id"])}`;
  expect(counted?.["same"]).toBe(true);
});
