import { describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const hidden = await app.user("hidden");
const admin = await app.admin();
const { sql } = app.forge.database;
await sql`update owner set visibility = 'private' where lower_name = 'hidden'`;
await app.organization("forge", alice);
await app.repository(alice, "site");
await alice.api.post("/user/repos", { name: "secret", private: true });

type Names = { login: string }[];
const names = (users: Names) => users.map((user) => user.login);
const count = async (name: string) =>
  (
    await app.anonymous.get<{ followers_count: number; following_count: number; starred_repos_count: number }>(
      `/users/${name}`,
    )
  ).body;

describe("following", () => {
  test("needs somebody who is signed in, and the scope to write", async () => {
    expect((await app.anonymous.put("/user/following/alice")).status).toBe(401);
    expect((await (await app.scoped(bob, "read:user")).put("/user/following/alice")).status).toBe(403);
    expect((await app.anonymous.get("/users/alice/followers")).status).toBe(401);
    expect(await count("alice")).toMatchObject({ followers_count: 0 });
  });

  test("a hidden user answers as one who is not there, an organization as no user", async () => {
    for (const call of [
      (name: string) => bob.api.put(`/user/following/${name}`),
      (name: string) => bob.api.get(`/users/${name}/following`),
      (name: string) => bob.api.get(`/user/following/${name}`),
    ]) {
      const absent = await call("hidden-not");
      const there = await call("hidden");
      expect(there.status).toBe(404);
      expect({ ...there, body: redact(there.body), headers: null }).toEqual({
        ...absent,
        body: JSON.parse(JSON.stringify(redact(absent.body)).replace("hidden-not", "hidden")),
        headers: null,
      });
      expect((await call("forge")).status).toBe(404);
    }
    expect((await bob.api.put("/user/following/bob")).status).toBe(422);
  });

  test("is asked about, counted, listed and taken back", async () => {
    expect(await bob.api.get("/user/following/alice")).toMatchObject({ status: 404, body: null });
    for (let twice = 0; twice < 2; twice++) {
      expect(await bob.api.put("/user/following/ALICE")).toMatchObject({ status: 204, body: null });
    }
    expect(await bob.api.get("/user/following/alice")).toMatchObject({ status: 204, body: null });
    expect((await carol.api.get("/users/bob/following/alice")).status).toBe(204);
    expect((await carol.api.get("/users/alice/following/bob")).status).toBe(404);
    expect(await count("alice")).toMatchObject({ followers_count: 1, following_count: 0 });
    expect(await count("bob")).toMatchObject({ followers_count: 0, following_count: 1 });
    expect(names((await carol.api.get<Names>("/users/alice/followers")).body)).toEqual(["bob"]);
    expect(names((await alice.api.get<Names>("/user/followers")).body)).toEqual(["bob"]);
    expect(names((await bob.api.get<Names>("/user/following")).body)).toEqual(["alice"]);
    expect((await bob.api.delete("/user/following/alice")).status).toBe(204);
    expect((await bob.api.delete("/user/following/alice")).status).toBe(204);
    expect(await count("alice")).toMatchObject({ followers_count: 0 });
  });

  test("lists and counts leave out whom the caller may not know of", async () => {
    await hidden.api.put("/user/following/alice");
    await carol.api.put("/user/following/alice");
    const seen = await bob.api.get<Names>("/users/alice/followers");
    expect({ names: names(seen.body), total: seen.headers.get("x-total-count") }).toEqual({
      names: ["carol"],
      total: "1",
    });
    expect(names((await admin.api.get<Names>("/users/alice/followers")).body).toSorted()).toEqual(["carol", "hidden"]);
    await alice.api.put("/user/following/hidden").then(({ status }) => expect(status).toBe(404));
    await sql`insert into follow (follower_id, followed_id) values (${alice.id}, ${hidden.id})`;
    expect((await bob.api.get("/users/alice/following/hidden")).status).toBe(404);
    expect((await admin.api.get("/users/alice/following/hidden")).status).toBe(204);
  });

  test("two who follow each other at once both do", async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([bob.api.put("/user/following/carol"), carol.api.put("/user/following/bob")]);
      expect(answers.map(({ status }) => status)).toEqual([204, 204]);
      await Promise.all([bob.api.delete("/user/following/carol"), carol.api.delete("/user/following/bob")]);
    }
    expect(await count("bob")).toMatchObject({ followers_count: 0, following_count: 0 });
  });
});

describe("stars and watches", () => {
  test("a private repository answers strangers as one that is not there", async () => {
    for (const path of ["/user/starred/alice/%", "/repos/alice/%/subscription"]) {
      for (const method of ["get", "put", "delete"] as const) {
        const there = await bob.api[method](path.replace("%", "secret"));
        const absent = await bob.api[method](path.replace("%", "absent"));
        expect(there.status).toBe(404);
        expect(JSON.stringify(redact(there.body)).replace("secret", "absent")).toBe(
          JSON.stringify(redact(absent.body)),
        );
      }
    }
    expect((await app.anonymous.put("/user/starred/alice/site")).status).toBe(401);
    expect((await (await app.scoped(bob, "write:repository")).put("/user/starred/alice/site")).status).toBe(403);
    expect(
      (await (await app.scoped(bob, "write:user", "write:repository")).put("/user/starred/alice/site")).status,
    ).toBe(204);
    expect((await bob.api.delete("/user/starred/alice/site")).status).toBe(204);
  });

  test("a star is asked about, counted, listed, searched for and taken back", async () => {
    expect((await bob.api.get("/user/starred/alice/site")).status).toBe(404);
    expect((await bob.api.put("/user/starred/alice/site")).status).toBe(204);
    expect((await bob.api.get("/user/starred/alice/site")).status).toBe(204);
    expect((await app.anonymous.get<{ stars_count: number }>("/repos/alice/site")).body.stars_count).toBe(1);
    expect(await count("bob")).toMatchObject({ starred_repos_count: 1 });
    expect(names((await app.anonymous.get<Names>("/repos/alice/site/stargazers")).body)).toEqual(["bob"]);
    for (const [client, path] of [
      [bob.api, "/user/starred"],
      [carol.api, "/users/bob/starred"],
    ] as const) {
      expect((await client.get<{ full_name: string }[]>(path)).body.map((one) => one.full_name)).toEqual([
        "alice/site",
      ]);
    }
    const found = await app.anonymous.get<{ data: { full_name: string }[] }>(`/repos/search?starredBy=${bob.id}`);
    expect(found.body.data.map((one) => one.full_name)).toEqual(["alice/site"]);
    expect((await bob.api.delete("/user/starred/alice/site")).status).toBe(204);
    expect((await app.anonymous.get<{ stars_count: number }>("/repos/alice/site")).body.stars_count).toBe(0);
  });

  test("what became private is no longer in the list of those who starred it", async () => {
    await app.repository(alice, "closing");
    await bob.api.put("/user/starred/alice/closing");
    await alice.api.patch("/repos/alice/closing", { private: true });
    const list = await bob.api.get<unknown[]>("/user/starred");
    expect({ list: list.body, total: list.headers.get("x-total-count") }).toEqual({ list: [], total: "0" });
    await alice.api.delete("/repos/alice/closing");
    expect(await count("bob")).toMatchObject({ starred_repos_count: 0 });
  });

  test("what a hidden user starred is found by nobody else", async () => {
    await hidden.api.put("/user/starred/alice/site");
    expect((await bob.api.get<{ data: unknown[] }>(`/repos/search?starredBy=${hidden.id}`)).body.data).toEqual([]);
    expect((await admin.api.get<{ data: unknown[] }>(`/repos/search?starredBy=${hidden.id}`)).body.data).toHaveLength(
      1,
    );
    await hidden.api.delete("/user/starred/alice/site");
  });

  test("a subscription is 404 until there is one", async () => {
    expect(await carol.api.get("/repos/alice/site/subscription")).toMatchObject({ status: 404, body: null });
    const put = await carol.api.put("/repos/alice/site/subscription");
    expect({ status: put.status, body: redact(put.body) }).toEqual({
      status: 200,
      body: {
        subscribed: true,
        ignored: false,
        reason: null,
        created_at: "<time>",
        url: "<url>/api/v1/repos/alice/site/subscription",
        repository_url: "<url>/api/v1/repos/alice/site",
      },
    });
    expect((await carol.api.get("/repos/alice/site/subscription")).body).toEqual(put.body);
    expect(names((await app.anonymous.get<Names>("/repos/alice/site/subscribers")).body)).toContain("carol");
    expect(
      (await carol.api.get<{ full_name: string }[]>("/user/subscriptions")).body.map((one) => one.full_name),
    ).toEqual(["alice/site"]);
    expect(
      (await bob.api.get<{ full_name: string }[]>("/users/carol/subscriptions")).body.map((one) => one.full_name),
    ).toEqual(["alice/site"]);
    expect((await carol.api.delete("/repos/alice/site/subscription")).status).toBe(204);
    expect((await carol.api.get("/repos/alice/site/subscription")).status).toBe(404);
  });
});

describe("blocks", () => {
  test("are for users, by users and by who owns the organization", async () => {
    expect((await app.anonymous.put("/user/block/bob")).status).toBe(401);
    expect((await alice.api.put("/user/block/alice")).status).toBe(422);
    expect((await alice.api.put("/user/block/forge")).status).toBe(404);
    expect((await alice.api.put("/user/block/hidden")).status).toBe(404);
    expect((await bob.api.put("/orgs/forge/block/carol")).status).toBe(403);
    expect((await bob.api.get("/orgs/forge/list_blocked")).status).toBe(403);
    expect((await bob.api.put("/orgs/alice/block/carol")).status).toBe(404);
    expect((await alice.api.put("/orgs/forge/block/alice")).status).toBe(422);
    expect((await alice.api.get("/user/list_blocked")).body).toEqual([]);
  });

  test("take away what tied the blocked one to the blocker, and keep it away", async () => {
    await bob.api.put("/user/following/alice");
    await bob.api.put("/user/starred/alice/site");
    await bob.api.put("/repos/alice/site/subscription");
    await sql`insert into collaborator (repository_id, user_id, mode) select id, ${bob.id}, 2 from repository where lower_name = 'secret'`;
    expect((await bob.api.get("/repos/alice/secret")).status).toBe(200);

    expect((await alice.api.put("/user/block/bob")).status).toBe(204);
    expect((await bob.api.get("/repos/alice/secret")).status).toBe(404);
    expect((await bob.api.get("/user/following/alice")).status).toBe(404);
    expect((await bob.api.get("/user/starred/alice/site")).status).toBe(404);
    expect((await bob.api.get("/repos/alice/site/subscription")).status).toBe(404);
    for (const path of ["/user/following/alice", "/user/starred/alice/site", "/repos/alice/site/subscription"]) {
      expect((await bob.api.put(path)).status).toBe(403);
    }
    const list = await alice.api.get("/user/list_blocked");
    expect(redact(list.body)).toEqual([{ block_id: "<id>", created_at: "<time>" }]);
    expect(list.headers.get("x-total-count")).toBe("1");

    expect((await alice.api.put("/user/unblock/bob")).status).toBe(204);
    expect((await bob.api.put("/user/following/alice")).status).toBe(204);
  });

  test("have a second address, where they are users", async () => {
    const clients = { mine: alice.api, theirs: bob.api };
    for (const [list, refused] of [
      ["/user/blocks", 422],
      ["/orgs/forge/blocks", 422],
    ] as const) {
      expect((await app.anonymous.get(list)).status).toBe(401);
      expect((await clients.mine.put(`${list}/alice`)).status).toBe(refused);
      expect((await clients.mine.put(`${list}/hidden`)).status).toBe(404);
      expect((await clients.mine.delete(`${list}/nobody`)).status).toBe(404);
      expect((await clients.mine.get(`${list}/carol`)).status).toBe(404);
      expect((await clients.mine.put(`${list}/carol`)).status).toBe(204);
      const { body, headers } = await clients.mine.get<{ login: string }[]>(list);
      expect(body.map(({ login }) => login)).toEqual(["carol"]);
      expect(headers.get("x-total-count")).toBe("1");
      expect((await clients.mine.get(`${list}/CAROL`)).status).toBe(204);
      expect((await clients.mine.get(`${list}/bob`)).status).toBe(404);
      const first = list.replace("blocks", "list_blocked");
      expect((await clients.mine.get<{ block_id: number }[]>(first)).body.map((one) => one.block_id)).toEqual([
        carol.id,
      ]);
      expect((await clients.mine.delete(`${list}/carol`)).status).toBe(204);
      expect((await clients.mine.get(list)).body).toEqual([]);
    }
    expect((await clients.theirs.put("/orgs/forge/blocks/carol")).status).toBe(403);
    expect((await clients.theirs.get("/orgs/forge/blocks")).status).toBe(403);
    expect((await clients.theirs.get("/user/blocks")).body).toEqual([]);
  });

  test("of an organization hold in its repositories", async () => {
    await alice.api.post("/orgs/forge/repos", { name: "tool" });
    expect((await alice.api.put("/orgs/forge/block/carol")).status).toBe(204);
    expect((await carol.api.put("/user/starred/forge/tool")).status).toBe(403);
    expect((await alice.api.get<unknown[]>("/orgs/forge/list_blocked")).body).toHaveLength(1);
    expect((await alice.api.put("/orgs/forge/unblock/carol")).status).toBe(204);
    expect((await carol.api.put("/user/starred/forge/tool")).status).toBe(204);
  });
});
