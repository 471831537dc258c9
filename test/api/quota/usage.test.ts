import { describe, expect, test } from "bun:test";
import { repackRepository } from "../../../src/domain/server/maintenance/repack-repository.ts";
import { recountUsage } from "../../../src/domain/identity/quota/recount-queries.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";
import type { TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp({ quota: { default_groups: ["standard", "no such group"] } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const { api: root } = await app.admin();
await alice.api.post("/orgs", { username: "forge" });
await alice.api.post("/orgs", { username: "hidden", visibility: "private" });
const { db } = app.forge.database;

interface Sizes {
  repos: { public: number; private: number };
  git: { LFS: number };
  assets: { artifacts: number; attachments: { issues: number; releases: number }; packages: { all: number } };
  wiki?: number;
  pictures?: number;
  texts?: number;
  guests?: number;
}
type Client = TestApp["anonymous"];
const quotaOf = async (path = "/user/quota", client: Client = alice.api) =>
  (await client.get<{ used: { size: Sizes }; groups: unknown[] }>(path)).body;
const usedBy = async (path = "/user/quota", client: Client = alice.api) => (await quotaOf(path, client)).used.size;
const isRight = async () => expect((await recountUsage(db)).miscounts).toEqual([]);
const nothing: Sizes = {
  repos: { public: 0, private: 0 },
  git: { LFS: 0 },
  assets: { artifacts: 0, attachments: { issues: 0, releases: 0 }, packages: { all: 0 } },
  wiki: 0,
  pictures: 0,
  texts: 0,
  guests: 0,
};

const attach = (path: string, name: string, bytes: number) => {
  const form = new FormData();
  form.append("attachment", new File([new Uint8Array(bytes).fill(65)], name));
  return fetch(`${app.url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `token ${alice.token}` },
    body: form,
  });
};

test("what a user's repositories take is told to nobody else, what an organization's take to its owners", async () => {
  for (const path of ["", "/check?subject=size:all", "/attachments"]) {
    expect((await app.anonymous.get(`/user/quota${path}`)).status).toBe(401);
    expect((await app.anonymous.get(`/orgs/forge/quota${path}`)).status).toBe(401);
    expect((await bob.api.get(`/orgs/forge/quota${path}`)).status).toBe(403);
    expect((await bob.api.get(`/orgs/hidden/quota${path}`)).status).toBe(404);
    expect((await bob.api.get(`/orgs/nowhere/quota${path}`)).status).toBe(404);
    expect((await alice.api.get(`/orgs/hidden/quota${path}`)).status).toBe(200);
  }
  expect((await bob.api.get("/admin/users/alice/quota")).status).toBe(403);
  expect(await quotaOf()).toEqual({ used: { size: nothing }, groups: [] });
});

describe("use", () => {
  test("is of the repository's owner, by its visibility, and goes with what is deleted", async () => {
    await app.repository(alice, "site", { auto_init: true });
    await app.repository(alice, "secret", { auto_init: true, private: true });
    const { repos } = await usedBy();
    expect(repos.public).toBeGreaterThan(100);
    expect(repos.private).toBeGreaterThan(100);
    await alice.api.post("/repos/alice/site/contents/more.txt", { content: btoa("x".repeat(5000)), message: "more" });
    const grown = (await usedBy()).repos.public;
    expect(grown).toBeGreaterThan(repos.public);
    await alice.api.patch("/repos/alice/secret", { private: false });
    expect((await usedBy()).repos).toEqual({ public: grown + repos.private, private: 0 });
    await alice.api.patch("/repos/alice/secret", { private: true });
    await isRight();
    expect((await alice.api.delete("/repos/alice/secret")).status).toBe(204);
    expect((await usedBy()).repos).toEqual({ public: grown, private: 0 });
    await isRight();
  });

  test("of a fork is whole, for whoever forked", async () => {
    expect((await bob.api.post("/repos/alice/site/forks", {})).status).toBe(202);
    expect((await usedBy("/user/quota", bob.api)).repos).toEqual((await usedBy()).repos);
    await isRight();
    await bob.api.delete("/repos/bob/site");
    expect(await usedBy("/user/quota", bob.api)).toEqual(nothing);
  });

  test("of LFS objects counts each once a repository", async () => {
    const client = LfsClient.of(app, "alice/site", alice.token);
    const content = "large".repeat(100);
    for (let time = 0; time < 2; time++) {
      expect((await client.put(sha256(content), content)).status).toBe(200);
    }
    expect((await usedBy()).git.LFS).toBe(500);
    await isRight();
  });

  test("of files is that of the repository's owner, whoever attached them; it moves with the repository", async () => {
    const issue = (await alice.api.post<{ number: number }>("/repos/alice/site/issues", { title: "t" })).body.number;
    const comment = await alice.api.post<{ id: number }>(`/repos/alice/site/issues/${issue}/comments`, { body: "c" });
    const release = (await alice.api.post<{ id: number }>("/repos/alice/site/releases", { tag_name: "v1" })).body.id;
    const at = "/repos/alice/site";
    for (const [path, name, bytes] of [
      [`${at}/issues/${issue}/assets`, "of-issue.txt", 10],
      [`${at}/issues/comments/${comment.body.id}/assets`, "of-comment.txt", 20],
      [`${at}/releases/${release}/assets`, "of-release.txt", 30],
    ] as const) {
      expect((await attach(path, name, bytes)).status).toBe(201);
    }
    expect((await usedBy()).assets.attachments).toEqual({ issues: 30, releases: 30 });
    const api = `${app.url}/api/v1/repos/alice/site`;
    const page = `${app.url}/alice/site`;
    const ids = (await alice.api.get<{ api_url: string }[]>("/user/quota/attachments")).body.map(({ api_url }) =>
      Number(/\d+$/.exec(api_url)?.[0]),
    );
    expect((await alice.api.get("/user/quota/attachments")).body).toEqual([
      {
        name: "of-release.txt",
        size: 30,
        api_url: `${api}/releases/${release}/assets/${ids[0]}`,
        contained_in: { api_url: `${api}/releases/${release}`, html_url: `${page}/releases/tag/v1` },
      },
      {
        name: "of-comment.txt",
        size: 20,
        api_url: `${api}/issues/comments/${comment.body.id}/assets/${ids[1]}`,
        contained_in: {
          api_url: `${api}/issues/comments/${comment.body.id}`,
          html_url: `${page}/issues/${issue}#issuecomment-${comment.body.id}`,
        },
      },
      {
        name: "of-issue.txt",
        size: 10,
        api_url: `${api}/issues/${issue}/assets/${ids[2]}`,
        contained_in: { api_url: `${api}/issues/${issue}`, html_url: `${page}/issues/${issue}` },
      },
    ]);
    const second = await alice.api.get<{ name: string }[]>("/user/quota/attachments?limit=1&page=2");
    expect(second.body.map(({ name }) => name)).toEqual(["of-comment.txt"]);
    expect(second.headers.get("x-total-count")).toBe("3");
    const whole = await usedBy();
    expect((await alice.api.post("/repos/alice/site/transfer", { new_owner: "forge" })).status).toBe(202);
    expect(await usedBy()).toEqual(nothing);
    expect(await usedBy("/orgs/forge/quota")).toEqual(whole);
    expect((await alice.api.get<{ name: string }[]>("/orgs/forge/quota/attachments")).body).toHaveLength(3);
    await isRight();
    expect((await alice.api.delete(`/repos/forge/site/issues/${issue}`)).status).toBe(204);
    expect((await usedBy("/orgs/forge/quota")).assets.attachments).toEqual({ issues: 0, releases: 30 });
    await isRight();
    expect((await alice.api.delete("/repos/forge/site")).status).toBe(204);
    expect(await usedBy("/orgs/forge/quota")).toEqual(nothing);
    await isRight();
  });

  test("of a deleted user is not kept", async () => {
    await app.repository(carol, "site", { auto_init: true });
    expect((await root.delete("/admin/users/carol?purge=true")).status).toBe(204);
    const left = await app.forge.database.sql`select 1 from owner_usage where owner_id = ${carol.id}`;
    expect(left).toHaveLength(0);
  });

  test("is counted when repositories are packed anew", async () => {
    const { id } = await app.repository(bob, "packed", { auto_init: true });
    for (let number = 0; number < 12; number++) {
      await bob.api.post(`/repos/bob/packed/contents/${number}.txt`, { content: btoa(`${number}`), message: "m" });
    }
    const { files, change, config, database, git } = app.forge;
    const { packDirectory, temporaryDirectory, blobs } = files;
    const maintenance = { db: database.db, change, blobs, config, git: git.engine, packDirectory, temporaryDirectory };
    const before = (await usedBy("/user/quota", bob.api)).repos.public;
    await repackRepository(maintenance, { repositoryId: id, kind: "full" });
    expect((await usedBy("/user/quota", bob.api)).repos.public).toBeLessThan(before);
    await isRight();
  });
});

test("what was used is written down day by day, and kept for a year", async () => {
  const path = "/user/quota/history";
  expect((await app.anonymous.get(path)).status).toBe(401);
  expect((await bob.api.get("/orgs/forge/quota/history")).status).toBe(403);
  const today = new Date().toISOString().slice(0, 10);
  const record = () => root.post("/admin/cron/record_usage");
  const { sql } = app.forge.database;
  const days = (number: number) =>
    sql`insert into usage_day select owner_id, day - ${number}::integer, 1, 2, 3, 4, 5, 6, 7 from usage_day where owner_id = ${bob.id} and day = ${today}`;
  expect((await record()).status).toBe(204);
  const list = async (query = "") => (await bob.api.get<{ day: string; size: Sizes }[]>(`${path}${query}`)).body;
  await until("the use is written down", async () => (await list()).length === 1);
  const { repos, git, assets } = await usedBy("/user/quota", bob.api);
  expect(await list()).toEqual([{ day: today, size: { repos, git, assets } }]);
  await days(29);
  await days(30);
  await days(400);
  expect((await list()).map(({ size }) => size.repos.public > 1)).toEqual([false, true]);
  expect((await list("?days=1")).map(({ day }) => day)).toEqual([today]);
  const all = await list("?days=366");
  expect(all).toHaveLength(3);
  expect(all[0]?.size).toEqual({
    repos: { public: 1, private: 2 },
    git: { LFS: 3 },
    assets: { artifacts: 6, attachments: { issues: 4, releases: 5 }, packages: { all: 7 } },
  });
  for (const query of ["?days=0", "?days=367", "?days=x"]) {
    expect((await bob.api.get(`${path}${query}`)).status).toBe(422);
  }
  await app.repository(bob, "grown", { auto_init: true });
  await record();
  await until("the day is written down again", async () => {
    const written = (await list()).at(-1)?.size.repos.public;
    return written === (await usedBy("/user/quota", bob.api)).repos.public;
  });
  const old = await sql`select 1 from usage_day where day < current_date - 390`;
  expect(old).toHaveLength(0);
  expect((await alice.api.get("/orgs/forge/quota/history")).body).toEqual([]);
});

describe("a check", () => {
  test("says true above the limit; the default groups are those of the settings", async () => {
    const check = async (subject: string, client = bob.api, path = "/user/quota") =>
      (await client.get(`${path}/check?subject=${subject}`)).body;
    await app.repository(bob, "some", { auto_init: true });
    expect(await check("size:all")).toBe(false);
    const rule = { name: "little", limit: 10, subjects: ["size:repos:all"] };
    await root.post("/admin/quota/groups", { name: "standard", rules: [rule] });
    expect(await check("size:repos:public")).toBe(true);
    expect(await check("size:all")).toBe(true);
    expect(await check("size:assets:all")).toBe(false);
    expect(await check("size:wiki")).toBe(false);
    expect((await quotaOf("/user/quota", bob.api)).groups).toEqual([
      { rules: [{ limit: 10, subjects: ["size:repos:all"] }] },
    ]);
    expect((await root.get<{ groups: unknown[] }>("/admin/users/bob/quota")).body.groups).toEqual([
      { name: "standard", rules: [rule] },
    ]);
    // Whoever has a group of their own does not have the default ones.
    await root.post("/admin/quota/groups", { name: "roomy", rules: [{ ...rule, name: "much", limit: 1e12 }] });
    await root.put("/admin/quota/groups/roomy/users/bob");
    expect(await check("size:all")).toBe(false);
    await root.put("/admin/quota/groups/standard/users/bob");
    expect(await check("size:all")).toBe(false);
    await root.delete("/admin/quota/groups/roomy/users/bob");
    expect(await check("size:all")).toBe(true);
    expect(await check("size:all", alice.api, "/orgs/forge/quota")).toBe(false);
  });

  test.each(["", "?subject=", "?subject=size:moon", "?subject=size:ALL"])("of %j is 422", async (query) => {
    expect((await alice.api.get(`/user/quota/check${query}`)).status).toBe(422);
    expect((await alice.api.get(`/orgs/forge/quota/check${query}`)).status).toBe(422);
  });
});
