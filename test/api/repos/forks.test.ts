import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { collectBlobs } from "../../../src/domain/git/blobs/collect-blobs.ts";
import { collectPacks } from "../../../src/domain/git/packs/collect-packs.ts";
import { silentLogger } from "../../../src/lib/log.ts";
import { hearEvents } from "../../support/hear-events.ts";
import { GitWorkTree } from "../../support/git-work-tree.ts";
import { redact } from "../../support/redact.ts";
import { makeTeam } from "../../support/team.ts";
import { useTestApp, type RepositoryJson, type TestUser } from "../../support/test-app.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";

interface ForkJson extends RepositoryJson {
  fork: boolean;
  empty: boolean;
  archived: boolean;
  size: number;
  forks_count: number;
  parent: (RepositoryJson & { parent: null }) | null;
}
interface Failure {
  message: string;
}

const app = await useTestApp({ git: { hidden_refs: ["refs/heads/internal"] } });
const { sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
const work = await GitWorkTree.create();
afterAll(() => work[Symbol.dispose]());
let tip = "";

const get = async (by: TestUser, name: string) => (await by.api.get<ForkJson>(`/repos/${name}`)).body;
const fork = (by: TestUser, name: string, body: Record<string, unknown> = {}) =>
  by.api.post<ForkJson & Failure>(`/repos/${name}/forks`, body);
let count = 0;
/** Somebody new, who has forked nothing yet. */
const somebody = () => app.user(`user-${++count}`);

beforeAll(async () => {
  await app.repository(alice, "tour", { description: "A tour" });
  await work.write("a", "1\n");
  tip = await work.commit("first");
  await work.git("tag", "-a", "-m", "annotated", "v1");
  await work.push(`${app.url}/alice/tour.git`, alice.token, "main", "main:refs/heads/dev", "main:refs/notes/n", "v1");
  const [tour] = await sql`select id from repository where name = 'tour'`;
  await sql`insert into ref (repository_id, name, oid) select ${tour!["id"]}, 'refs/' || kind, oid from ref, unnest(array['pull/1/head', 'heads/internal', 'heads/internal/x']) kind
    where name = 'refs/heads/main' and repository_id = ${tour!["id"]}`;
});

describe("who may", () => {
  test("whoever reads the code, signed in, with a token for it", async () => {
    expect((await app.anonymous.post("/repos/alice/tour/forks", {})).status).toBe(401);
    const reader = await app.scoped(bob, "read:repository");
    expect((await reader.post("/repos/alice/tour/forks", {})).status).toBe(403);
    const { id } = await app.repository(alice, "secret", { private: true });
    expect((await fork(bob, "alice/secret")).status).toBe(404);
    expect((await fork(bob, "alice/nothing")).status).toBe(404);
    expect((await bob.api.get("/repos/alice/secret/forks")).status).toBe(404);
    await sql`update repository set has_code = false where id = ${id}`;
    expect((await fork(alice, "alice/secret", { name: "x" })).status).toBe(404);
  });

  test("nobody whom the owner keeps away", async () => {
    const user = await somebody();
    await alice.api.put(`/user/block/${user.name}`);
    expect((await fork(user, "alice/tour")).status).toBe(403);
    await alice.api.put(`/user/unblock/${user.name}`);
    expect((await fork(user, "alice/tour")).status).toBe(202);
  });

  test("a token for single repositories or for public ones makes no other one", async () => {
    const user = await somebody();
    const publicOnly = app.withToken(await app.token(user, ["write:repository", "public-only"]));
    await sql`update owner set visibility = 'limited' where id = ${user.id}`;
    const answer = await publicOnly.post<Failure>("/repos/alice/tour/forks", {});
    expect([answer.status, answer.body.message]).toEqual([
      403,
      "The token is for public repositories only and cannot create one that is not",
    ]);
    const [token] = await sql`insert into access_token (user_id, name, hash, last_eight, scopes, restricted)
      select ${user.id}, 'r', sha256('sty_${sql.unsafe("0".repeat(40))}'), '00000000', '{write:repository}', true returning id`;
    await sql`insert into access_token_repository (token_id, repository_id) select ${token!["id"]}, id from repository where name = 'tour' and owner_id = ${alice.id}`;
    const restricted = app.withToken(`sty_${"0".repeat(40)}`);
    expect((await restricted.get("/repos/alice/tour")).status).toBe(200);
    expect((await restricted.post("/repos/alice/tour/forks", {})).status).toBe(403);
  });

  test("into an organization: who may create there", async () => {
    const owner = await somebody();
    await app.organization("crew", owner);
    const body = { organization: "crew" };
    expect((await fork(bob, "alice/tour", body)).status).toBe(403);
    await makeTeam(
      owner,
      "crew",
      { name: "makers", permission: "write", can_create_org_repo: true, units_map: { "repo.code": "write" } },
      [bob],
    );
    const made = await fork(bob, "alice/tour", body);
    expect([made.status, made.body.full_name]).toEqual([202, "crew/tour"]);
    // Who makes it administers it.
    expect(made.body).toMatchObject({ permissions: { admin: true } });
    expect(await get(bob, "crew/tour")).toEqual(made.body);
    expect((await fork(owner, "alice/tour", { ...body, name: "again" })).status).toBe(409);
    await app.organization("hidden", owner, { visibility: "private" });
    for (const organization of ["hidden", "nowhere", "bob", "crew/x"]) {
      const { status, body: failure } = await fork(bob, "alice/tour", { organization });
      expect([status, failure.message]).toEqual([422, `There is no organization "${organization}"`]);
    }
    expect((await fork(admin, "alice/tour", { organization: "hidden" })).body.full_name).toBe("hidden/tour");
  });
});

describe("a fork", () => {
  test("is answered whole, with its parent, and read the same", async () => {
    const made = await fork(bob, "alice/tour");
    expect(made.status).toBe(202);
    expect(redact(made.body)).toMatchSnapshot();
    expect(await get(bob, "bob/tour")).toEqual(made.body);
    const parent = await get(bob, "alice/tour");
    expect(made.body.parent).toEqual({ ...parent, parent: null } as never);
    expect(parent.fork).toBe(false);
  });

  test("has the refs of its parent that people made and see, and not a byte more on disk", async () => {
    const user = await somebody();
    const packs = await sql`select count(*)::int as n from pack`;
    await fork(user, "alice/tour");
    expect(await sql`select count(*)::int as n from pack`).toEqual(packs);
    const refs = (await work.git("ls-remote", `${app.url}/${user.name}/tour.git`))
      .split("\n")
      .map((line) => line.split("\t")[1]);
    expect(refs).toEqual([
      "HEAD",
      "refs/heads/dev",
      "refs/heads/main",
      "refs/notes/n",
      "refs/tags/v1",
      "refs/tags/v1^{}",
    ]);
    expect(
      (await sql`select ref.name from ref join repository on id = repository_id where owner_id = ${user.id}`).length,
    ).toBe(4);
    expect((await get(user, `${user.name}/tour`)).size).toBe((await get(user, "alice/tour")).size);
    const { body } = await user.api.get<{ commit: { id: string } }>(`/repos/${user.name}/tour/branches/main`);
    expect(body.commit.id).toBe(tip);
  });

  test("takes another name, and a second one of the same parent or name is refused", async () => {
    const user = await somebody();
    await app.repository(user, "tour");
    const taken = await fork(user, "alice/tour");
    expect([taken.status, taken.body.message]).toEqual([409, `The repository "${user.name}/tour" already exists`]);
    expect((await fork(user, "alice/tour", { name: "Trip", organization: null })).body.full_name).toBe(
      `${user.name}/Trip`,
    );
    const again = await fork(user, "alice/tour", { name: "other" });
    expect([again.status, again.body.message]).toEqual([
      409,
      `"${user.name}" has a fork of "alice/tour" already: "${user.name}/Trip"`,
    ]);
    await user.api.delete(`/repos/${user.name}/Trip`);
    expect((await fork(user, "alice/tour", { name: "other", organization: "" })).status).toBe(202);
  });

  test.each(["a b", "..", "x.git", "é", "x".repeat(101)])("cannot be named %p", async (name) => {
    const { status, body } = await fork(await somebody(), "alice/tour", { name });
    expect([status, body.message.includes("name")]).toEqual([422, true]);
  });

  test("is made once by two requests at once", async () => {
    const user = await somebody();
    const answers = await Promise.all(["a", "b", "c"].map((name) => fork(user, "alice/tour", { name })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
  });

  test("of an empty repository, of an archived one, of a fork, of one's own", async () => {
    await app.repository(alice, "empty", { default_branch: "trunk" });
    expect((await fork(bob, "alice/empty")).body).toMatchObject({ empty: true, default_branch: "trunk", fork: true });
    await app.repository(alice, "old", { auto_init: true });
    await alice.api.patch("/repos/alice/old", { archived: true });
    expect((await fork(bob, "alice/old")).body).toMatchObject({ archived: false, fork: true });
    expect((await fork(alice, "alice/tour")).status).toBe(409);
    const own = await fork(alice, "alice/tour", { name: "own" });
    expect(own.body.parent?.full_name).toBe("alice/tour");
    const user = await somebody();
    const second = await fork(user, "alice/own", { name: "second" });
    expect(second.body.parent).toMatchObject({ full_name: "alice/own", fork: true, parent: null });
    await alice.api.delete("/repos/alice/own");
  });

  test("counts among the repositories that its owner may have", async () => {
    const user = await somebody();
    await sql`update account set max_repositories = 1 where owner_id = ${user.id}`;
    expect((await fork(user, "alice/empty")).status).toBe(202);
    const { status, body } = await fork(user, "alice/tour");
    expect([status, body.message]).toEqual([403, `"${user.name}" may have at most 1 repositories`]);
  });

  test("tells that it was made, to those who hear of the parent and of the fork", async () => {
    const user = await somebody();
    const { body } = await fork(user, "alice/tour");
    const parent = await get(user, "alice/tour");
    const rows =
      await sql`select kind, repository_id, owner_id, payload from outbox where doer->>'id' = ${String(user.id)} and kind like 'repository.%' order by id`;
    expect(rows.map((row) => [row["kind"], Number(row["repository_id"]), Number(row["owner_id"])])).toEqual([
      ["repository.created", body.id, user.id],
      ["repository.forked", parent.id, alice.id],
    ]);
    expect(rows[1]?.["payload"]).toMatchObject({ fork: { id: body.id, name: "tour", owner: { name: user.name } } });
    const feed = await user.api.get<{ op_type: string; repo: ForkJson }[]>(`/users/${user.name}/activities/feeds`);
    expect(feed.body.map(({ op_type, repo }) => [op_type, repo.full_name, repo.parent?.full_name])).toEqual([
      ["create_repo", `${user.name}/tour`, "alice/tour"],
    ]);
  });

  test("has the LFS objects of its parent, and each keeps to itself what it gets later", async () => {
    const user = await somebody();
    const parent = LfsClient.of(app, "alice/tour", alice.token);
    await parent.put(sha256("before"), "before");
    await fork(user, "alice/tour");
    const own = LfsClient.of(app, `${user.name}/tour`, user.token);
    await parent.put(sha256("of the parent"), "of the parent");
    await own.put(sha256("of the fork"), "of the fork");
    const has = async (client: LfsClient, text: string) =>
      (await client.ask("download", sha256(text), text.length))?.actions?.["download"] !== undefined;
    expect([await has(own, "before"), await has(own, "of the fork"), await has(own, "of the parent")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([await has(parent, "before"), await has(parent, "of the fork")]).toEqual([true, false]);
    expect((await alice.api.get<ForkJson>(`/repos/${user.name}/tour`)).body.size).toBeGreaterThan(0);
  });
});

describe("lists", () => {
  test("the forks that the caller may see, in pages, with their number", async () => {
    await app.repository(alice, "listed", { auto_init: true });
    const users = [await somebody(), await somebody(), await somebody()];
    for (const user of users) {
      await fork(user, "alice/listed");
    }
    const [first, second, third] = users as [TestUser, TestUser, TestUser];
    await second.api.patch(`/repos/${second.name}/listed`, { private: true });
    const list = async (by: TestUser | null, query = "") => {
      const { body, headers } = await (by?.api ?? app.anonymous).get<ForkJson[]>(`/repos/alice/listed/forks${query}`);
      return [headers.get("x-total-count"), ...body.map(({ full_name, parent }) => [full_name, parent?.full_name])];
    };
    const shown = ({ name }: TestUser) => [`${name}/listed`, "alice/listed"];
    const [a, b, c] = [shown(first), shown(second), shown(third)];
    expect(await list(null)).toEqual(["2", a, c]);
    expect(await list(first)).toEqual(["2", a, c]);
    expect(await list(second)).toEqual(["3", a, b, c]);
    expect(await list(admin, "?limit=1&page=2")).toEqual(["3", b]);
    const { headers } = await third.api.get("/repos/alice/listed/forks?limit=1");
    expect(headers.get("link")).toContain("forks?limit=1&page=2");
    // How often it was forked is no secret, as with stars.
    expect((await get(first, "alice/listed")).forks_count).toBe(3);
    await third.api.delete(`/repos/${third.name}/listed`);
    expect((await get(first, "alice/listed")).forks_count).toBe(2);
  });

  test("search tells forks and sources apart, and sorts by forks", async () => {
    const names = async (query: string) =>
      (await bob.api.get<{ data: ForkJson[] }>(`/repos/search?q=listed&${query}`)).body.data.map(
        ({ full_name }) => full_name,
      );
    expect(await names("mode=source")).toEqual(["alice/listed"]);
    expect(await names("mode=fork")).toHaveLength(1);
    expect((await names("sort=forks&order=desc"))[0]).toBe("alice/listed");
    const own = await bob.api.get<ForkJson[]>("/user/repos?order_by=mostforks");
    expect(own.body.every(({ fork: isFork, parent }) => isFork === (parent !== null))).toBe(true);
    const { body } = await alice.api.get<ForkJson[]>("/user/repos?order_by=mostforks&limit=1");
    expect(body.map(({ name }) => name)).toEqual(["tour"]);
  });
});

describe("who sees a fork", () => {
  test("of a private repository is private and stays so; without access to the parent it does not name it", async () => {
    const [owner, user] = [await somebody(), await somebody()];
    await app.repository(owner, "inner", { private: true, auto_init: true });
    await owner.api.put(`/repos/${owner.name}/inner/collaborators/${user.name}`, { permission: "read" });
    const made = await fork(user, `${owner.name}/inner`);
    expect(made.body).toMatchObject({ private: true, fork: true });
    const path = `/repos/${user.name}/inner`;
    const opened = await user.api.patch<Failure>(path, { private: false });
    expect([opened.status, opened.body.message]).toEqual([
      422,
      `"${user.name}/inner" is a fork of a repository that fewer people may see, so it stays private`,
    ]);
    expect((await owner.api.get(path)).status).toBe(404);
    await owner.api.delete(`/repos/${owner.name}/inner/collaborators/${user.name}`);
    expect(await get(user, `${user.name}/inner`)).toMatchObject({ fork: true, parent: null, private: true });
    expect((await user.api.get<unknown[]>(`${path}/branches`)).body).toHaveLength(1);
    // When the parent may be seen by all, its owner may show the fork.
    await owner.api.patch(`/repos/${owner.name}/inner`, { private: false });
    expect((await get(user, `${user.name}/inner`)).private).toBe(true);
    expect((await user.api.patch(path, { private: false })).status).toBe(200);
  });

  test("becomes private with its parent, and so do forks of it", async () => {
    const heard = hearEvents();
    const [owner, user, third] = [await somebody(), await somebody(), await somebody()];
    await app.repository(owner, "line", { auto_init: true });
    await fork(user, `${owner.name}/line`);
    await fork(third, `${user.name}/line`);
    expect((await app.anonymous.get(`/repos/${third.name}/line`)).status).toBe(200);
    await owner.api.patch(`/repos/${owner.name}/line`, { private: true });
    for (const one of [user, third]) {
      expect((await app.anonymous.get(`/repos/${one.name}/line`)).status).toBe(404);
      const hidden = await get(one, `${one.name}/line`);
      expect(hidden.private).toBe(true);
      const told = heard.filter((event) => event.kind === "repository.edited" && event.repository.id === hidden.id);
      expect(told).toEqual([expect.objectContaining({ changed: ["private"] })]);
    }
  });

  test("is private where the parent is for members or for signed-in users, and the fork would not be", async () => {
    const [owner, user] = [await somebody(), await somebody()];
    await app.organization("inside", owner, { visibility: "private" });
    await app.repository(owner, "plan", { auto_init: true }, "inside");
    await makeTeam(
      owner,
      "inside",
      { name: "all", permission: "read", includes_all_repositories: true, units_map: { "repo.code": "read" } },
      [user],
    );
    expect((await fork(user, "inside/plan")).body.private).toBe(true);
    expect((await fork(owner, "inside/plan", { organization: "inside", name: "copy" })).body.private).toBe(false);
    await app.organization("later", owner);
    await app.repository(owner, "plan", { auto_init: true }, "later");
    await fork(user, "later/plan", { name: "later-plan" });
    expect((await get(user, `${user.name}/later-plan`)).private).toBe(false);
    await owner.api.patch("/orgs/later", { visibility: "limited" });
    expect((await get(user, `${user.name}/later-plan`)).private).toBe(true);
  });

  test("is hidden with a parent that goes to members only, and by going to others than they are", async () => {
    const [owner, user, third] = [await somebody(), await somebody(), await somebody()];
    await app.organization("shut", owner, { visibility: "private" });
    await app.repository(owner, "given", { auto_init: true });
    await fork(user, `${owner.name}/given`);
    await fork(third, `${user.name}/given`);
    expect((await owner.api.post(`/repos/${owner.name}/given/transfer`, { new_owner: "shut" })).status).toBe(202);
    for (const one of [user, third]) {
      expect((await get(one, `${one.name}/given`)).private).toBe(true);
    }
    await app.repository(owner, "kept", { auto_init: true }, "shut");
    await fork(owner, "shut/kept", { organization: "shut", name: "mine" });
    expect((await get(owner, "shut/mine")).private).toBe(false);
    await owner.api.post("/repos/shut/mine/transfer", { new_owner: owner.name });
    expect((await get(owner, `${owner.name}/mine`)).private).toBe(true);
  });

  test("keeps its LFS objects and commits when the owner of its parent is deleted with all they have", async () => {
    const [owner, user] = [await somebody(), await somebody()];
    await app.repository(owner, "bequest", { auto_init: true });
    await LfsClient.of(app, `${owner.name}/bequest`, owner.token).put(sha256("kept"), "kept");
    await fork(user, `${owner.name}/bequest`);
    expect((await admin.api.delete(`/admin/users/${owner.name}?purge=true`)).status).toBe(204);
    const { db } = app.forge.database;
    const { blobs, packDirectory } = app.forge.files;
    for (let round = 0; round < 2; round++) {
      await collectBlobs(db, blobs, silentLogger, { graceMs: 0 });
      await collectPacks(db, packDirectory, silentLogger, { graceMs: 0 });
    }
    const { href, header } = await LfsClient.of(app, `${user.name}/bequest`, user.token).action(
      "download",
      sha256("kept"),
      4,
    );
    expect(await (await fetch(href, { headers: header })).text()).toBe("kept");
    expect((await user.api.get(`/repos/${user.name}/bequest/raw/README.md`)).status).toBe(200);
    expect(await get(user, `${user.name}/bequest`)).toMatchObject({ fork: false, parent: null });
  });

  test("stays whole when its parent is deleted, and is a fork no longer", async () => {
    const [owner, user] = [await somebody(), await somebody()];
    await app.repository(owner, "gone", { auto_init: true });
    await fork(user, `${owner.name}/gone`);
    await owner.api.delete(`/repos/${owner.name}/gone`);
    expect(await get(user, `${user.name}/gone`)).toMatchObject({ fork: false, parent: null, empty: false });
    expect((await user.api.get(`/repos/${user.name}/gone/contents/README.md`)).status).toBe(200);
    const mode = await user.api.get<{ data: ForkJson[] }>(`/repos/search?q=gone&mode=source`);
    expect(mode.body.data).toHaveLength(1);
  });
});
