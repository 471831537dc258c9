import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Event } from "../../src/domain/spine/events.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { redact } from "../support/redact.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

interface ReleaseJson {
  id: number;
  tag_name: string;
  name: string;
  body: string;
  target_commitish: string;
  draft: boolean;
  prerelease: boolean;
  published_at: string;
  author: { login: string } | null;
}

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
const base = "/repos/alice/tree";
const at = `${base}/releases`;
let first = "";
let second = "";

beforeAll(async () => {
  await app.repository(alice, "tree");
  await work.write("a", "1\n");
  first = await work.commit("first");
  await work.git("tag", "old");
  await work.git("tag", "dir/v0");
  await work.write("a", "2\n");
  second = await work.commit("second");
  await work.push(`${app.url}/alice/tree.git`, alice.token, "main", "old", "dir/v0");
});

const make = async (fields: Record<string, unknown>, where = at) =>
  (await alice.api.post<ReleaseJson>(where, fields)).body;
const statusOf = async (fields: Record<string, unknown>, where = at) => (await alice.api.post(where, fields)).status;
const tagOf = async (name: string) =>
  (await alice.api.get<{ commit: { sha: string } }>(`${base}/tags/${name}`)).body.commit?.sha ?? null;
const counter = async (where = base) => (await alice.api.get<{ release_counter: number }>(where)).body.release_counter;
const tagsOf = async (path: string, client = app.anonymous) =>
  (await client.get<ReleaseJson[]>(path)).body.map(({ tag_name: name }) => name);

/** The kinds of the events of releases that receivers are told. */
async function told(): Promise<string[]> {
  const rows = await app.forge.database.sql<
    { kind: Event["kind"] }[]
  >`select kind from outbox where kind like 'release.%' order by id`;
  return rows.map(({ kind }) => kind);
}

describe("who may", () => {
  test("only those who may write releases change them, and not in an archive", async () => {
    const { id } = await make({ tag_name: "guarded" });
    const reader = await app.scoped(alice, "read:repository");
    for (const [method, path, body] of [
      ["POST", "", { tag_name: "x" }],
      ["PATCH", `/${id}`, { name: "x" }],
      ["DELETE", `/${id}`, undefined],
      ["DELETE", "/tags/guarded", undefined],
    ] as const) {
      const options = body === undefined ? {} : { body };
      expect([method, (await app.anonymous.request(method, at + path, options)).status]).toEqual([method, 401]);
      expect([method, (await bob.api.request(method, at + path, options)).status]).toEqual([method, 403]);
      expect([method, (await reader.request(method, at + path, options)).status]).toEqual([method, 403]);
      expect([method, (await bob.api.request(method, `/repos/alice/none/releases${path}`, options)).status]).toEqual([
        method,
        404,
      ]);
    }
    expect((await alice.api.get<ReleaseJson>(`${at}/${id}`)).body.name).toBe("");
    await app.repository(alice, "archive", { auto_init: true });
    const kept = await make({ tag_name: "v1" }, "/repos/alice/archive/releases");
    await alice.api.patch("/repos/alice/archive", { archived: true });
    expect(await statusOf({ tag_name: "x" }, "/repos/alice/archive/releases")).toBe(423);
    expect((await alice.api.patch(`/repos/alice/archive/releases/${kept.id}`, { name: "x" })).status).toBe(423);
    expect((await alice.api.delete(`/repos/alice/archive/releases/${kept.id}`)).status).toBe(423);
    expect(await tagsOf("/repos/alice/archive/releases")).toEqual(["v1"]);
  });

  test("drafts are there for those who may write releases, and for nobody else", async () => {
    const { id } = await make({ tag_name: "hidden-draft", draft: true });
    await app.repository(alice, "shared", { auto_init: true });
    for (const client of [app.anonymous, bob.api]) {
      const { status, body } = await client.get<{ message: string }>(`${at}/${id}`);
      expect([status, body.message]).toEqual([404, `There is no release "${id}"`]);
      expect((await client.get(`${at}/tags/hidden-draft`)).status).toBe(404);
      expect((await client.get(`${at}/${id}/assets`)).status).toBe(404);
      const all = await client.get<ReleaseJson[]>(at);
      expect(all.body.some(({ draft }) => draft)).toBe(false);
      expect(all.headers.get("x-total-count")).toBe(String(all.body.length));
      expect(await tagsOf(`${at}?draft=true`, client)).toEqual([]);
    }
    expect(await tagsOf(`${at}?draft=true`, alice.api)).toEqual(["hidden-draft"]);
    expect(await tagsOf(`${at}?draft=false`, alice.api)).not.toContain("hidden-draft");
    expect((await alice.api.get<ReleaseJson>(`${at}/tags/hidden-draft`)).body.id).toBe(id);
    await alice.api.delete(`${at}/${id}`);
  });

  test("a team that may write releases and nothing else makes a release with its tag", async () => {
    await app.organization("forge", alice);
    await app.repository(alice, "code", { auto_init: true }, "forge");
    const carol = await app.user("carol");
    await makeTeam(
      alice,
      "forge",
      {
        name: "releasers",
        units_map: { "repo.releases": "write", "repo.code": "read" },
        includes_all_repositories: true,
      },
      [carol],
    );
    const { status, body } = await carol.api.post<ReleaseJson>("/repos/forge/code/releases", { tag_name: "v1" });
    expect([status, body.author?.login]).toEqual([201, "carol"]);
    expect((await carol.api.post("/repos/forge/code/tags", { tag_name: "v2" })).status).toBe(403);
  });

  test("without the unit there are no releases", async () => {
    await app.repository(alice, "off", { auto_init: true });
    const there = "/repos/alice/off/releases";
    const { id } = await make({ tag_name: "v1" }, there);
    expect(await counter("/repos/alice/off")).toBe(1);
    await alice.api.patch("/repos/alice/off", { has_releases: false });
    for (const path of ["", "/latest", `/${id}`, "/tags/v1", `/${id}/assets`]) {
      expect([path, (await alice.api.get(there + path)).status]).toEqual([path, 404]);
    }
    expect(await statusOf({ tag_name: "v2" }, there)).toBe(404);
    expect(await counter("/repos/alice/off")).toBe(0);
    await alice.api.patch("/repos/alice/off", { has_releases: true });
    expect(await tagsOf(there)).toEqual(["v1"]);
  });

  test("an author whom nobody may know of is nobody", async () => {
    const shy = await app.user("shy");
    await alice.api.put(`${base}/collaborators/shy`, { permission: "write" });
    const { body } = await shy.api.post<ReleaseJson>(at, { tag_name: "by-shy" });
    await app.forge.database.sql`update owner set visibility = 'private' where id = ${shy.id}`;
    expect(body.author?.login).toBe("shy");
    expect((await bob.api.get<ReleaseJson>(`${at}/${body.id}`)).body.author).toBeNull();
    expect((await shy.api.get<ReleaseJson>(`${at}/${body.id}`)).body.author?.login).toBe("shy");
    await alice.api.delete(`${at}/${body.id}`);
  });
});

describe("create", () => {
  test("a release of a tag that is there, whole", async () => {
    const before = await counter();
    const { status, body } = await alice.api.post<ReleaseJson>(at, {
      tag_name: "old",
      target_commitish: "main",
      name: "The old one",
      body: "Notes\n",
      prerelease: true,
      hide_archive_links: true,
    });
    expect(status).toBe(201);
    expect(await tagOf("old")).toBe(first);
    const api = `<url>/api/v1${base}`;
    const { author, id, ...rest } = redact(body) as { author: { login: string }; id: unknown };
    expect(author.login).toBe("alice");
    expect(rest as object).toEqual({
      tag_name: "old",
      target_commitish: "main",
      name: "The old one",
      body: "Notes\n",
      url: `${api}/releases/${body.id}`,
      html_url: "<url>/alice/tree/releases/tag/old",
      tarball_url: `${api}/archive/old.tar.gz`,
      zipball_url: `${api}/archive/old.zip`,
      hide_archive_links: true,
      upload_url: `${api}/releases/${body.id}/assets`,
      draft: false,
      prerelease: true,
      created_at: "<time>",
      published_at: "<time>",
      assets: [],
      archive_download_count: { zip: 0, tar_gz: 0 },
    });
    expect(id).toBeDefined();
    expect((await app.anonymous.get(`${at}/${body.id}`)).body).toMatchObject({ name: "The old one" });
    expect(await counter()).toBe(before + 1);
    const archive = await app.anonymous.fetch("GET", `${base}/archive/old.zip`);
    expect([archive.status, (await archive.bytes()).length > 100]).toEqual([200, true]);
  });

  test("the tag is created at the target, else at the default branch", async () => {
    await make({ tag_name: "at/first", target_commitish: first.slice(0, 10) });
    expect(await tagOf("at%2Ffirst")).toBe(first);
    const release = await make({ tag_name: "at/main" });
    expect([await tagOf("at/main"), release.target_commitish]).toEqual([second, "main"]);
    for (const path of ["at/first", "at%2Ffirst"]) {
      expect((await app.anonymous.get<ReleaseJson>(`${at}/tags/${path}`)).body.tag_name).toBe("at/first");
    }
    expect(await work.git("ls-remote", "-q", `${app.url}/alice/tree.git`, "refs/tags/at/*")).toContain(first);
    expect((await told()).slice(-2)).toEqual(["release.published", "release.published"]);
  });

  test("a draft has no tag until it is published", async () => {
    const before = { counter: await counter(), told: await told() };
    const { id, published_at: created } = await make({ tag_name: "drafted", target_commitish: first, draft: true });
    expect((await alice.api.get(`${base}/tags/drafted`)).status).toBe(404);
    expect({ counter: await counter(), told: await told() }).toEqual(before);
    const { status, body } = await alice.api.patch<ReleaseJson>(`${at}/${id}`, { draft: false });
    expect([status, body.draft, await tagOf("drafted")]).toEqual([200, false, first]);
    expect(Date.parse(body.published_at)).toBeGreaterThanOrEqual(Date.parse(created));
    expect(await counter()).toBe(before.counter + 1);
    expect(await told()).toEqual([...before.told, "release.published"]);
    const feed = await app.anonymous.get<{ op_type: string; ref_name: string }[]>(`${base}/activities/feeds?limit=5`);
    expect(feed.body.map(({ op_type, ref_name }) => [op_type, ref_name])).toContainEqual([
      "publish_release",
      "refs/tags/drafted",
    ]);
  });

  test("not a second one of a tag, and nothing that cannot be", async () => {
    const before = { counter: await counter(), all: await tagsOf(at, alice.api), told: await told() };
    expect(await statusOf({ tag_name: "at/main" })).toBe(409);
    expect(await statusOf({ tag_name: "at/main", draft: true })).toBe(409);
    expect(await statusOf({ tag_name: "at/main/below" })).toBe(409);
    expect(await statusOf({ tag_name: "new", target_commitish: "none" })).toBe(404);
    for (const name of ["a..b", "a b", "-a", "a.lock", "", "x".repeat(300)]) {
      expect([name, await statusOf({ tag_name: name })]).toEqual([name, 422]);
      expect([name, await statusOf({ tag_name: name, draft: true })]).toEqual([name, 422]);
    }
    expect(await statusOf({})).toBe(422);
    expect(await statusOf({ tag_name: "new", name: "x".repeat(256) })).toBe(422);
    const after = { counter: await counter(), all: await tagsOf(at, alice.api), told: await told() };
    expect(after).toEqual(before);
    expect((await alice.api.get(`${base}/tags/new`)).status).toBe(404);
  });

  test("a tag that is protected is created by those on its list only, also when a draft is published", async () => {
    const there = "/repos/alice/guarded/releases";
    await app.repository(alice, "guarded", { auto_init: true });
    await alice.api.put("/repos/alice/guarded/collaborators/bob", { permission: "write" });
    await alice.api.post("/repos/alice/guarded/tag_protections", {
      name_pattern: "v*",
      whitelist_usernames: ["alice"],
    });
    const told0 = await told();
    const refused = await bob.api.post<{ message: string }>(there, { tag_name: "v1" });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      "tag_name cannot be used: protected tag v1: only the users and teams on the list of its protection may create, move or delete it",
    ]);
    expect([await tagsOf(there, bob.api), await told()]).toEqual([[], told0]);
    expect((await bob.api.get("/repos/alice/guarded/tags/v1")).status).toBe(404);
    const { body: draft } = await bob.api.post<ReleaseJson>(there, { tag_name: "v1", draft: true });
    expect((await bob.api.patch(`${there}/${draft.id}`, { draft: false })).status).toBe(422);
    expect((await bob.api.patch(`${there}/${draft.id}`, { tag_name: "free", draft: false })).status).toBe(200);
    expect((await bob.api.patch(`${there}/${draft.id}`, { tag_name: "v2" })).status).toBe(422);
    expect((await bob.api.get<ReleaseJson>(`${there}/${draft.id}`)).body.tag_name).toBe("free");
    expect((await make({ tag_name: "v1" }, there)).tag_name).toBe("v1");
    // The tag is there now, and a release of it changes no tag.
    await alice.api.delete(`${there}/tags/v1`);
    expect((await bob.api.post(there, { tag_name: "v1" })).status).toBe(201);
    expect((await bob.api.delete(`${there}/tags/v1`)).status).toBe(204);
  });

  test("an empty repository takes drafts only", async () => {
    await app.repository(alice, "empty");
    const there = "/repos/alice/empty/releases";
    const refused = await alice.api.post<{ message: string }>(there, { tag_name: "v1" });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      "The repository is empty, so there is no commit to release: push one first, or create a draft",
    ]);
    const { id } = await make({ tag_name: "v1", draft: true }, there);
    expect((await alice.api.patch(`${there}/${id}`, { draft: false })).status).toBe(422);
    expect((await alice.api.get<ReleaseJson>(`${there}/${id}`)).body.draft).toBe(true);
  });

  test("of many who create one release, one does", async () => {
    const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf({ tag_name: "raced" })));
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });
});

describe("list", () => {
  const there = "/repos/alice/listed/releases";

  beforeAll(async () => {
    await app.repository(alice, "listed", { auto_init: true });
    for (const [tag, fields] of [
      ["v1.0", { name: "First", body: "It begins" }],
      ["v1.1-rc", { prerelease: true }],
      ["v1.1", { body: "Better than before" }],
      ["nightly", { prerelease: true }],
      ["v2", { draft: true }],
    ] as const) {
      await make({ tag_name: tag, ...fields }, there);
    }
  });

  test("newest first, by page, with filters", async () => {
    expect(await tagsOf(there)).toEqual(["nightly", "v1.1", "v1.1-rc", "v1.0"]);
    expect(await tagsOf(there, alice.api)).toEqual(["v2", "nightly", "v1.1", "v1.1-rc", "v1.0"]);
    const { body, headers } = await app.anonymous.get<ReleaseJson[]>(`${there}?page=2&limit=3`);
    expect([body.map(({ tag_name: tag }) => tag), headers.get("x-total-count")]).toEqual([["v1.0"], "4"]);
    expect(headers.get("link")).toContain('rel="prev"');
    for (const [query, tags] of [
      ["pre-release=true", ["nightly", "v1.1-rc"]],
      ["pre-release=false", ["v1.1", "v1.0"]],
      ["q=V1.1", ["v1.1", "v1.1-rc"]],
      ["q=FIRST", ["v1.0"]],
      ["q=better%20than", ["v1.1"]],
      ["q=better%20th", ["v1.1"]],
      ["q=tter%20than", []],
      ["q=%25", []],
      ["q=%3A%2A%20%27%20%26%20%21%28", []],
      ["q=", ["nightly", "v1.1", "v1.1-rc", "v1.0"]],
      ["q=v&pre-release=true", ["v1.1-rc"]],
    ] as const) {
      expect([query, await tagsOf(`${there}?${query}`)]).toEqual([query, [...tags]]);
    }
    expect((await app.anonymous.get(`${there}?draft=perhaps`)).status).toBe(422);
  });

  test("the latest is neither a draft nor a prerelease", async () => {
    const latest = async () => (await app.anonymous.get<ReleaseJson>(`${there}/latest`)).body.tag_name;
    expect(await latest()).toBe("v1.1");
    const { id } = (await alice.api.get<ReleaseJson>(`${there}/tags/v1.1`)).body;
    await alice.api.patch(`${there}/${id}`, { prerelease: true });
    expect(await latest()).toBe("v1.0");
    await alice.api.patch(`${there}/${id}`, { prerelease: false });
    expect(await latest()).toBe("v1.1");
    await app.repository(alice, "none-yet", { auto_init: true });
    expect((await app.anonymous.get("/repos/alice/none-yet/releases/latest")).status).toBe(404);
  });
});

describe("edit and delete", () => {
  test("what is sent is changed, and nothing that is empty or absent", async () => {
    const { id } = await make({ tag_name: "edited", name: "Before", body: "Text" });
    const { body } = await alice.api.patch<ReleaseJson>(`${at}/${id}`, { name: "After", body: "", tag_name: "" });
    expect(body).toMatchObject({ name: "After", body: "Text", tag_name: "edited", draft: false });
    expect((await told()).at(-1)).toBe("release.updated");
    expect((await alice.api.patch<ReleaseJson>(`${at}/${id}`, {})).status).toBe(200);
    const moved = await alice.api.patch<ReleaseJson>(`${at}/${id}`, { tag_name: "edited-2", target_commitish: first });
    expect([moved.body.tag_name, await tagOf("edited-2"), await tagOf("edited")]).toEqual(["edited-2", first, second]);
    expect((await alice.api.patch(`${at}/${id}`, { tag_name: "old" })).status).toBe(409);
    expect((await alice.api.patch(`${at}/${id}`, { tag_name: "a..b" })).status).toBe(422);
    expect((await alice.api.patch(`${at}/999999`, { name: "x" })).status).toBe(404);
    expect((await alice.api.patch(`/repos/alice/listed/releases/${id}`, { name: "x" })).status).toBe(404);
  });

  test("a release can become a draft again, and its tag stays", async () => {
    const { id } = await make({ tag_name: "withdrawn" });
    const before = await counter();
    expect((await alice.api.patch<ReleaseJson>(`${at}/${id}`, { draft: true })).body.draft).toBe(true);
    expect([await counter(), await tagOf("withdrawn")]).toEqual([before - 1, second]);
    expect((await app.anonymous.get(`${at}/tags/withdrawn`)).status).toBe(404);
  });

  test("a deleted release leaves its tag, which can be released again", async () => {
    const { id } = await make({ tag_name: "gone" });
    const before = await counter();
    expect((await alice.api.delete(`${at}/${id}`)).status).toBe(204);
    expect((await alice.api.delete(`${at}/${id}`)).status).toBe(404);
    expect([await tagOf("gone"), await counter(), (await told()).at(-1)]).toEqual([
      second,
      before - 1,
      "release.deleted",
    ]);
    expect((await alice.api.get(`${at}/tags/gone`)).status).toBe(404);
    expect(await statusOf({ tag_name: "gone" })).toBe(201);
    expect((await alice.api.delete(`${at}/tags/gone`)).status).toBe(204);
    expect((await alice.api.delete(`${at}/tags/gone`)).status).toBe(404);
    expect((await alice.api.delete(`${at}/tags/dir/v0`)).status).toBe(404);
    expect(await tagOf("gone")).toBe(second);
  });

  test("the API does not delete a tag that has a release; a push does, and makes it a draft", async () => {
    const { id } = await make({ tag_name: "dir/pushed" });
    const before = await counter();
    const refused = await alice.api.delete<{ message: string }>(`${base}/tags/dir/pushed`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The tag "dir/pushed" has a release: delete that first',
    ]);
    expect(await tagOf("dir/pushed")).toBe(second);
    await work.push(`${app.url}/alice/tree.git`, alice.token, ":refs/tags/dir/pushed");
    expect((await app.anonymous.get(`${at}/${id}`)).status).toBe(404);
    expect((await alice.api.get<ReleaseJson>(`${at}/${id}`)).body.draft).toBe(true);
    expect([await counter(), (await told()).at(-1)]).toEqual([before - 1, "release.updated"]);
    // A draft keeps no tag from being deleted.
    await work.push(`${app.url}/alice/tree.git`, alice.token, "main:refs/tags/dir/pushed");
    expect((await alice.api.get<ReleaseJson>(`${at}/${id}`)).body.draft).toBe(true);
    expect((await alice.api.delete(`${base}/tags/dir/pushed`)).status).toBe(204);
  });

  test("downloads of a tag's archives are counted as long as there is the tag", async () => {
    await make({ tag_name: "dir/packed" });
    await work.git("tag", "-a", "-m", "annotated", "noted", first);
    await work.push(`${app.url}/alice/tree.git`, alice.token, "noted");
    const get = async (address: string, method = "GET", headers: Record<string, string> = {}) => {
      const response = await fetch(app.url + address, { method, headers });
      await response.bytes();
      return response;
    };
    const api = `/api/v1${base}`;
    type Counted = { id: string; archive_download_count: { zip: number; tar_gz: number } };
    const counts = async (path: string) => (await app.anonymous.get<Counted>(base + path)).body.archive_download_count;
    const etag = (await get(`${api}/archive/dir/packed.zip`)).headers.get("etag") ?? "";
    await get("/alice/tree/archive/dir/packed.zip");
    await get(`${api}/tarball/dir/packed`);
    await get(`${api}/archive/noted.tar.gz`);
    for (const [address, method, headers] of [
      [`${api}/archive/dir/packed.zip`, "HEAD", {}],
      [`${api}/archive/dir/packed.zip`, "GET", { "if-none-match": etag }],
      [`${api}/archive/dir/packed.tar`, "GET", {}],
      [`${api}/archive/dir/packed.bundle`, "GET", {}],
      [`${api}/archive/main.zip`, "GET", {}],
    ] as const) {
      expect([200, 304]).toContain((await get(address, method, headers)).status);
    }
    for (const path of ["/releases/tags/dir/packed", "/tags/dir/packed"]) {
      expect([path, await counts(path)]).toEqual([path, { zip: 2, tar_gz: 1 }]);
    }
    const noted = await app.anonymous.get<Counted>(`${base}/tags/noted`);
    expect(noted.body.archive_download_count).toEqual({ zip: 0, tar_gz: 1 });
    expect(await counts(`/git/tags/${noted.body.id}`)).toEqual({ zip: 0, tar_gz: 1 });
    const all = await app.anonymous.get<Counted[]>(`${base}/tags?limit=50`);
    expect(all.body.reduce((sum, tag) => sum + tag.archive_download_count.zip, 0)).toBeGreaterThanOrEqual(2);
    await work.push(`${app.url}/alice/tree.git`, alice.token, ":refs/tags/dir/packed");
    await work.push(`${app.url}/alice/tree.git`, alice.token, "main:refs/tags/dir/packed");
    expect(await counts("/tags/dir/packed")).toEqual({ zip: 0, tar_gz: 0 });
  });

  test("a release outlives who made it", async () => {
    const passer = await app.user("passer");
    await alice.api.put(`${base}/collaborators/passer`, { permission: "write" });
    const { body } = await passer.api.post<ReleaseJson>(at, { tag_name: "left-behind" });
    const root = await app.admin("root");
    expect((await root.api.delete("/admin/users/passer")).status).toBe(204);
    const { body: left } = await alice.api.get<ReleaseJson>(`${at}/${body.id}`);
    expect([left.tag_name, left.author]).toEqual(["left-behind", null]);
  });

  test("releases go with their repository", async () => {
    await app.repository(alice, "brief", { auto_init: true });
    await make({ tag_name: "v1" }, "/repos/alice/brief/releases");
    const { sql } = app.forge.database;
    const total = async () => Number((await sql`select count(*) as n from release`)[0]?.["n"]);
    const before = await total();
    expect((await alice.api.delete("/repos/alice/brief")).status).toBe(204);
    expect(await total()).toBe(before - 1);
  });
});
