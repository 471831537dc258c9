import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { PullsOf } from "../support/merges.ts";
import { commitFile, type PullJson } from "../support/pulls.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";

/** Branches and tags whose names mean something else to git: the oid of a commit, HEAD, or another ref by its full name. */

setDefaultTimeout(60_000);

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql } = app.forge.database;
const site = new PullsOf(app, alice, "alice/site");
const at = "/repos/alice/site";
const scratch = new Scratch();
const key = new SshKeyPair();
const work = scratch.join("work");
let repositoryId = 0;
let pinned = "";
let evil = "";

afterAll(() => {
  scratch[Symbol.dispose]();
  key[Symbol.dispose]();
});

const urlOf = (user: TestUser, repository = "alice/site") =>
  `${app.url.replace("://", `://x:${user.token}@`)}/${repository}.git`;

beforeAll(async () => {
  await app.repository(alice, "site");
  pinned = await site.write("a.txt", "good\n");
  await alice.api.put(`${at}/collaborators/bob`, { permission: "write" });
  repositoryId = (await alice.api.get<{ id: number }>(at)).body.id;
  await key.addTo(bob);
  await mustGit(scratch.path, ["clone", "-q", urlOf(bob), work]);
  await Bun.write(`${work}/a.txt`, "evil\n");
  await mustGit(work, ["commit", "-qam", "Evil"]);
  evil = await mustGit(work, ["rev-parse", "HEAD"]);
  await mustGit(work, ["push", "-q", "origin", "HEAD:refs/heads/evil"]);
});

const refsOf = async () =>
  (await sql<{ name: string }[]>`select name from ref where repository_id = ${repositoryId} order by name`).map(
    ({ name }) => name,
  );

const shadows = () => [pinned, pinned.toUpperCase(), "ab".repeat(32), "HEAD", "refs/heads/main", "refs/tags/v1"];

describe("are refused", () => {
  test.each(["HTTP", "SSH"])("to a push over %s", async (transport) => {
    const before = await refsOf();
    const ssh = (await bob.api.get<{ ssh_url: string }>(at)).body.ssh_url;
    const [url, env] = transport === "SSH" ? [ssh, key.env] : [urlOf(bob), {}];
    for (const name of shadows()) {
      for (const full of [`refs/heads/${name}`, `refs/tags/${name}`]) {
        const { code, stderr } = await runGit(work, ["push", url, `HEAD:${full}`], { env });
        expect({ full, code, stderr }).toEqual({
          full,
          code: 1,
          stderr: expect.stringContaining("a branch or tag cannot be named HEAD, refs/… or as the id of an object"),
        });
      }
    }
    expect(await refsOf()).toEqual(before);
  });

  test("to every operation that makes a branch or a tag, or names the default one", async () => {
    const before = await refsOf();
    const tried: unknown[] = [];
    for (const name of shadows()) {
      const { api } = alice;
      const answers = [
        await api.post(`${at}/branches`, { new_branch_name: name, old_branch_name: "evil" }),
        await api.patch(`${at}/branches/evil`, { name }),
        await api.post(`${at}/tags`, { tag_name: name, target: "evil" }),
        await api.post(`${at}/tags`, { tag_name: name, target: "evil", message: "annotated" }),
        await api.post(`${at}/releases`, { tag_name: name, target_commitish: "evil" }),
        await api.post(`${at}/contents/b.txt`, { content: "", message: "b", branch: "evil", new_branch: name }),
        await api.post(`${at}/contents`, { files: [], message: "b", branch: "evil", new_branch: name }),
        await api.post(`${at}/diffpatch`, { content: "", message: "b", branch: "evil", new_branch: name }),
        await api.post("/user/repos", { name: "other", auto_init: true, default_branch: name }),
      ];
      tried.push([name, answers.map(({ status }) => status)]);
    }
    expect(tried).toEqual(shadows().map((name) => [name, [422, 422, 422, 422, 422, 422, 422, 422, 422]]));
    expect(await refsOf()).toEqual(before);
  });

  test("to forks, which leave them out", async () => {
    const names = [`refs/heads/${pinned}`, `refs/tags/${pinned}`, "refs/tags/HEAD", "refs/heads/refs/heads/main"];
    const oid = Buffer.from(evil, "hex");
    await sql`insert into ref ${sql(names.map((name) => ({ repository_id: repositoryId, name, oid })))}`;
    await sql`update repository set generation = generation + 1 where id = ${repositoryId}`;
    const fork = await bob.api.post<{ id: number }>(`${at}/forks`, { name: "forked" });
    expect(fork.status).toBe(202);
    const rows = await sql<
      { name: string }[]
    >`select name from ref where repository_id = ${fork.body.id} order by name`;
    expect(rows.map(({ name }) => name)).toEqual(["refs/heads/evil", "refs/heads/main"]);
    await sql`delete from ref where repository_id = ${repositoryId} and name = any(${sql.array(names, 25)})`;
    await sql`update repository set generation = generation + 1 where id = ${repositoryId}`;
  });
});

describe("of an older version", () => {
  const full = () => [`refs/heads/${pinned}`, `refs/tags/${pinned}`, "refs/heads/refs/heads/main", "refs/heads/HEAD"];

  beforeAll(async () => {
    const oid = Buffer.from(evil, "hex");
    await sql`insert into ref ${sql(full().map((name) => ({ repository_id: repositoryId, name, oid })))}`;
    await sql`update repository set generation = generation + 1 where id = ${repositoryId}`;
  });

  test("stand in the way of no commit and of no other ref", async () => {
    const { api } = alice;
    for (const name of [pinned, "refs/heads/main", "HEAD"]) {
      const raw = await api.get<string>(`${at}/raw/a.txt?ref=${name}`);
      expect([name, String(raw.body)]).toEqual([name, "good\n"]);
      const { body: file } = await api.get<{ content: string }>(`${at}/contents/a.txt?ref=${name}`);
      expect([name, atob(file.content)]).toEqual([name, "good\n"]);
      const { body: commit } = await api.get<{ sha: string }>(`${at}/git/commits/${encodeURIComponent(name)}`);
      expect([name, commit.sha]).toEqual([name, pinned]);
      const { body: list } = await api.get<{ sha: string }[]>(`${at}/commits?sha=${name}`);
      expect([name, list[0]?.sha]).toEqual([name, pinned]);
    }
    const { body: tree } = await api.get<{ sha: string }>(`${at}/git/trees/${pinned}`);
    const { body: evils } = await api.get<{ sha: string }>(`${at}/git/trees/evil`);
    expect(tree.sha).not.toBe(evils.sha);
    const { body: compared } = await api.get<{ total_commits: number }>(`${at}/compare/${pinned}...main`);
    expect(compared.total_commits).toBe(0);
  });

  test("archives, pages and their downloads show the commit", async () => {
    const archive = await fetch(`${app.url}/alice/site/archive/${pinned}.tar.gz`, {
      headers: { authorization: `token ${alice.token}` },
    });
    await Bun.write(scratch.join("a.tar.gz"), await archive.arrayBuffer());
    const untarred = Bun.spawnSync(["tar", "-xzOf", scratch.join("a.tar.gz"), "site/a.txt"]);
    expect(untarred.stdout.toString()).toBe("good\n");
    const page = await fetch(`${app.url}/alice/site/raw/commit/${pinned}/a.txt`);
    expect(await page.text()).toBe("good\n");
  });

  test("a status for a commit is one of the commit", async () => {
    const { number } = await site.open(await site.branch());
    const { body: pull } = await alice.api.get<PullJson>(`${at}/pulls/${number}`);
    const head = pull.head.sha;
    const name = `refs/heads/${head}`;
    await sql`insert into ref ${sql([{ repository_id: repositoryId, name, oid: Buffer.from(evil, "hex") }])}`;
    await sql`update repository set generation = generation + 1 where id = ${repositoryId}`;
    await bob.api.post(`${at}/statuses/${head}`, { context: "build", state: "failure" });
    const stateOf = async (ref: string) =>
      (await alice.api.get<{ state: string; sha: string }>(`${at}/commits/${encodeURIComponent(ref)}/status`)).body;
    expect(await stateOf(head)).toMatchObject({ state: "failure", sha: head });
    expect((await stateOf(name)).sha).toBe(evil);
  });

  test("are read by their full names, as branches and tags, and deleted", async () => {
    const { api } = alice;
    const { body: commit } = await api.get<{ sha: string }>(
      `${at}/git/commits/${encodeURIComponent(`refs/heads/${pinned}`)}`,
    );
    expect(commit.sha).toBe(evil);
    const { body: branch } = await api.get<{ name: string; commit: { id: string } }>(`${at}/branches/${pinned}`);
    expect([branch.name, branch.commit.id]).toEqual([pinned, evil]);
    const { body: nested } = await api.get<{ commit: { id: string } }>(`${at}/branches/refs%2Fheads%2Fmain`);
    expect(nested.commit.id).toBe(evil);
    expect((await api.delete(`${at}/branches/${pinned}`)).status).toBe(204);
    expect((await api.delete(`${at}/tags/${pinned}`)).status).toBe(204);
    await mustGit(work, ["push", "-q", urlOf(alice), ":refs/heads/refs/heads/main", ":refs/heads/HEAD"]);
    expect((await refsOf()).filter((name) => full().includes(name))).toEqual([]);
  });
});

test("a branch of an older version as the default one is found, and its fork keeps it", async () => {
  await app.repository(alice, "odd");
  const first = await commitFile(alice, "alice/odd", { path: "a.txt", text: "a\n" });
  const { body } = await alice.api.get<{ id: number }>("/repos/alice/odd");
  await sql`update ref set name = ${`refs/heads/${pinned}`} where repository_id = ${body.id}`;
  await sql`update repository set default_branch = ${pinned}, generation = generation + 1 where id = ${body.id}`;
  const { body: list } = await alice.api.get<{ sha: string }[]>("/repos/alice/odd/commits");
  expect(list[0]?.sha).toBe(first);
  const fork = await bob.api.post<{ default_branch: string }>("/repos/alice/odd/forks", { name: "odd-fork" });
  expect([fork.status, fork.body.default_branch]).toEqual([202, pinned]);
  const { body: forked } = await bob.api.get<{ sha: string }[]>("/repos/bob/odd-fork/commits");
  expect(forked[0]?.sha).toBe(first);
});
