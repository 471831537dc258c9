import { describe, expect, test } from "bun:test";
import { hearEvents } from "../../support/hear-events.ts";
import { redact } from "../../support/redact.ts";
import { makeTeam, ownersTeamId } from "../../support/team.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

const app = await useTestApp();
const { sql } = app.forge.database;
const alice = await app.user("alice");
const admin = await app.admin();

let number = 0;
const fresh = (name = "user") => app.user(`${name}-${++number}`);

interface Json {
  id: number;
  full_name: string;
  owner: { login: string };
  permissions: { admin: boolean; push: boolean; pull: boolean };
  repo_transfer: { doer: { login: string }; recipient: { login: string }; teams: { name: string }[] } | null;
}

/** A repository of alice, or of an organization of hers, under a name that nothing else has. */
async function newRepository(fields: Record<string, unknown> = {}, organization?: string) {
  const name = `tool-${++number}`;
  const owner = organization ?? "alice";
  const { id } = await app.repository(alice, name, { auto_init: true, ...fields }, organization);
  return { id, name, path: `/repos/${owner}/${name}`, fullName: `${owner}/${name}` };
}

async function newOrganization(owner: TestUser, fields: { visibility?: "limited" | "private" } = {}) {
  const name = `org-${++number}`;
  return { name, id: await app.organization(name, owner, fields) };
}

const offer = (path: string, to: string, more: object = {}, who = alice) =>
  who.api.post<Json>(`${path}/transfer`, { new_owner: to, ...more });
const statusOf = async (who: TestUser, path: string) => (await who.api.get(path)).status;
const message = (answer: { body: unknown }) => (answer.body as { message: string }).message;
const offers = async (id: number) => (await sql`select 1 from repository_transfer where repository_id = ${id}`).length;
const heard = hearEvents();
const toldOf = (id: number) => heard.filter((event) => "repository" in event && event.repository?.id === id);
const kinds = (id: number) => toldOf(id).map(({ kind }) => kind);

describe("who may not", () => {
  test("only the owner gives a repository away", async () => {
    const { path } = await newRepository();
    const bob = await fresh();
    for (const permission of ["read", "admin"]) {
      await alice.api.put(`${path}/collaborators/${bob.name}`, { permission });
      expect((await offer(path, bob.name, {}, bob)).status).toBe(403);
    }
    expect((await app.anonymous.post(`${path}/transfer`, { new_owner: "admin" })).status).toBe(401);
    expect(await statusOf(alice, path)).toBe(200);
  });

  test.each([
    ["to oneself", "alice", {}, 422, '"alice" owns the repository already'],
    ["to nobody", "nobody-at-all", {}, 404, '"nobody-at-all"'],
    ["without a name", "", {}, 422, "new_owner"],
    ["to a user's team", "admin", { team_ids: [1] }, 422, "only organizations have teams"],
  ])("%s", async (_, to, more, status, words) => {
    const { path } = await newRepository();
    const answer = await offer(path, to, more);
    expect([answer.status, message(answer)]).toEqual([status, expect.stringContaining(words)]);
    expect((await alice.api.get<Json>(path)).body.repo_transfer).toBeNull();
  });

  test("to an owner whom the doer may not know of is to nobody", async () => {
    const { path } = await newRepository();
    const hidden = await newOrganization(await fresh(), { visibility: "private" });
    const [one, other] = [await offer(path, hidden.name), await offer(path, "org-none")];
    expect([one.status, message(one).replace(hidden.name, "org-none")]).toEqual([404, message(other)]);
  });

  test("to and from somebody who keeps the other away, when it is offered and when it is accepted", async () => {
    const { path } = await newRepository();
    const bob = await fresh();
    for (const [who, whom] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      await who.api.put(`/user/block/${whom.name}`);
      const answer = await offer(path, bob.name);
      expect([answer.status, message(answer)]).toEqual([403, expect.stringContaining("blocked the other")]);
      await who.api.put(`/user/unblock/${whom.name}`);
    }
    expect((await offer(path, bob.name)).status).toBe(201);
    await bob.api.put("/user/block/alice");
    expect((await bob.api.post(`${path}/transfer/accept`)).status).toBe(403);
    expect(await statusOf(alice, path)).toBe(200);
  });

  test("to an organization that keeps its doer away", async () => {
    const { path } = await newRepository();
    const bob = await fresh();
    const organization = await newOrganization(bob);
    await bob.api.put(`/orgs/${organization.name}/block/alice`);
    expect((await offer(path, organization.name)).status).toBe(403);
  });

  test("where a repository has the name already", async () => {
    const { path, name } = await newRepository();
    const bob = await fresh();
    await app.repository(bob, name.toUpperCase());
    const answer = await offer(path, bob.name);
    expect([answer.status, message(answer)]).toEqual([422, expect.stringContaining("already exists")]);
  });

  test("teams must be those of the new owner", async () => {
    const { path } = await newRepository();
    const [here, there] = [await newOrganization(alice), await newOrganization(alice)];
    const team = await makeTeam(alice, there.name, { name: "devs", permission: "read" }, []);
    for (const id of [team.id, 999_999, -1]) {
      const answer = await offer(path, here.name, { team_ids: [id] });
      expect([answer.status, message(answer)]).toEqual([422, expect.stringContaining(String(id))]);
    }
    expect(await statusOf(alice, path)).toBe(200);
  });

  test("what is offered is for its recipient to accept, once, and for nobody else", async () => {
    const { path } = await newRepository();
    const [bob, carol] = [await fresh(), await fresh()];
    for (const verb of ["accept", "reject"]) {
      const answer = await bob.api.post(`${path}/transfer/${verb}`);
      expect([answer.status, message(answer)]).toEqual([404, expect.stringContaining("offer")]);
    }
    expect((await offer(path, bob.name)).status).toBe(201);
    expect((await alice.api.post(`${path}/transfer/accept`)).status).toBe(403);
    expect((await carol.api.post(`${path}/transfer/accept`)).status).toBe(403);
    expect((await carol.api.post(`${path}/transfer/reject`)).status).toBe(403);
    expect((await offer(path, carol.name)).status).toBe(409);
    expect((await bob.api.post(`${path}/transfer/accept`)).status).toBe(202);
    expect((await bob.api.post(`/repos/${bob.name}${path.slice("/repos/alice".length)}/transfer/accept`)).status).toBe(
      404,
    );
  });

  test("tokens that could not make the repository there", async () => {
    const bob = await fresh();
    const { path, id } = await newRepository();
    const token = await app.token(alice, ["write:repository"]);
    const restricted = await sql<{ id: number }[]>`
      update access_token set restricted = true where last_eight = ${token.slice(-8)} returning id`;
    await sql`insert into access_token_repository (token_id, repository_id) values (${restricted[0]!.id}, ${id})`;
    const answer = await app.withToken(token).post(`${path}/transfer`, { new_owner: bob.name });
    expect([answer.status, message(answer)]).toEqual([403, expect.stringContaining("restricted to repositories")]);
    const publicOnly = await app.scoped(bob, "public-only", "write:repository");
    await sql`update owner set visibility = 'limited' where id = ${bob.id}`;
    expect((await offer(path, bob.name)).status).toBe(201);
    expect((await publicOnly.post(`${path}/transfer/accept`)).status).toBe(403);
    expect((await app.scoped(bob, "read:repository").then((api) => api.post(`${path}/transfer/accept`))).status).toBe(
      403,
    );
    expect([...(await sql`select owner_id from repository where id = ${id}`)]).toEqual([
      { owner_id: String(alice.id) },
    ]);
  });

  test("an offer by somebody who may not give the repository away any more", async () => {
    const [bob, carol] = [await fresh(), await fresh()];
    const organization = await newOrganization(alice);
    const owners = await ownersTeamId(alice, organization.name);
    await alice.api.put(`/teams/${owners}/members/${carol.name}`);
    const { path } = await newRepository({}, organization.name);
    expect((await offer(path, bob.name, {}, carol)).status).toBe(201);
    await alice.api.delete(`/teams/${owners}/members/${carol.name}`);
    const answer = await bob.api.post(`${path}/transfer/accept`);
    expect([answer.status, message(answer)]).toEqual([403, expect.stringContaining("any more")]);
    expect((await alice.api.post(`${path}/transfer/reject`)).status).toBe(200);
  });

  test("a new owner who may have no more repositories", async () => {
    const bob = await fresh();
    await admin.api.patch(`/admin/users/${bob.name}`, { max_repo_creation: 0 });
    const { path } = await newRepository();
    expect((await offer(path, bob.name)).status).toBe(201);
    const answer = await bob.api.post(`${path}/transfer/accept`);
    expect([answer.status, message(answer)]).toEqual([403, expect.stringContaining("at most 0")]);
    expect(await statusOf(alice, path)).toBe(200);
  });
});

describe("a repository is offered to a user", () => {
  test("who is told, sees it although it is private, and accepts", async () => {
    const bob = await fresh();
    const { id, path, name } = await newRepository({ private: true });
    expect(await statusOf(bob, path)).toBe(404);
    const offered = await offer(path, bob.name);
    expect({ status: offered.status, body: redact(offered.body.repo_transfer) }).toMatchObject({
      status: 201,
      body: { doer: { login: "alice" }, recipient: { login: bob.name }, teams: [] },
    });
    expect(offered.body.full_name).toBe(`alice/${name}`);
    // Told to whom it concerns: its administrators and the recipient, wherever they meet it.
    const carol = await fresh();
    await alice.api.put(`${path}/collaborators/${carol.name}`, { permission: "write" });
    const told = async (who: TestUser) => (await who.api.get<Json>(path)).body.repo_transfer?.recipient.login ?? null;
    expect([await told(alice), await told(bob), await told(carol), await told(admin)]).toEqual([
      bob.name,
      bob.name,
      null,
      bob.name,
    ]);
    const { body: list } = await bob.api.get<Json[]>("/user/repos");
    expect(list.map((one) => one.repo_transfer?.doer.login)).toEqual(["alice"]);
    expect((await bob.api.get<Json>(path)).body.permissions).toEqual({ admin: false, push: false, pull: true });

    const accepted = await bob.api.post<Json>(`${path}/transfer/accept`);
    expect({ status: accepted.status, ...accepted.body }).toMatchObject({
      status: 202,
      id,
      full_name: `${bob.name}/${name}`,
      permissions: { admin: true, push: true, pull: true },
      repo_transfer: null,
    });
    expect([await statusOf(alice, `/repos/${bob.name}/${name}`), await statusOf(alice, path)]).toEqual([404, 404]);
    expect((await bob.api.get(`/repos/${bob.name}/${name}/collaborators/${bob.name}`)).status).toBe(404);
    // Its address leads there.
    const redirected = await carol.api.get(path);
    expect([redirected.status, redirected.headers.get("location")]).toEqual([
      307,
      `${app.url}/api/v1/repos/${bob.name}/${name}`,
    ]);
    expect(kinds(id)).toEqual(expect.arrayContaining(["transfer.offered", "repository.transferred"]));
    expect(await offers(id)).toBe(0);
    expect((await bob.api.get<Json[]>("/user/repos")).body.map(({ full_name: full }) => full)).toEqual([
      `${bob.name}/${name}`,
    ]);
    expect((await bob.api.get(`/repos/${bob.name}/${name}/subscription`)).status).toBe(200);
  });

  test("who refuses it, and has lost sight of it", async () => {
    const bob = await fresh();
    const { path } = await newRepository({ private: true });
    await offer(path, bob.name);
    const { status, body } = await bob.api.post<Json>(`${path}/transfer/reject`);
    expect([status, body.repo_transfer, body.permissions]).toEqual([
      200,
      null,
      { admin: false, push: false, pull: false },
    ]);
    expect(await statusOf(bob, path)).toBe(404);
    expect((await alice.api.get<Json>(path)).body.repo_transfer).toBeNull();
    expect((await bob.api.post(`${path}/transfer/accept`)).status).toBe(404);
  });

  test("and keeps the access that they had, or were given meanwhile", async () => {
    const bob = await fresh();
    const before = await newRepository({ private: true });
    await alice.api.put(`${before.path}/collaborators/${bob.name}`, { permission: "write" });
    const meanwhile = await newRepository({ private: true });
    for (const { path } of [before, meanwhile]) {
      expect((await offer(path, bob.name)).status).toBe(201);
    }
    await alice.api.put(`${meanwhile.path}/collaborators/${bob.name}`, { permission: "read" });
    for (const [path, push] of [
      [before.path, true],
      [meanwhile.path, false],
    ] as const) {
      expect((await bob.api.post(`${path}/transfer/reject`)).status).toBe(200);
      expect((await bob.api.get<Json>(path)).body.permissions).toMatchObject({ pull: true, push });
    }
  });

  test.each([
    ["the owner takes it back", async (path: string) => void (await alice.api.post(`${path}/transfer/reject`))],
    [
      "the repository is renamed",
      async (path: string) => void (await alice.api.patch(path, { name: `new-${++number}` })),
    ],
  ])("until %s", async (_, end) => {
    const bob = await fresh();
    const { id, path } = await newRepository({ private: true });
    await offer(path, bob.name);
    await end(path);
    expect((await alice.api.get<Json>(`/repositories/${id}`)).body.repo_transfer).toBeNull();
    expect(await statusOf(bob, `/repositories/${id}`)).toBe(404);
  });

  test.each(["repository", "recipient", "doer"])("and with its %s the offer goes", async (what) => {
    const [bob, carol] = [await fresh(), await fresh()];
    const organization = await newOrganization(alice);
    await alice.api.put(`/teams/${await ownersTeamId(alice, organization.name)}/members/${carol.name}`);
    const { id, path } = await newRepository({ private: true }, organization.name);
    expect((await offer(path, bob.name, {}, carol)).status).toBe(201);
    expect(await offers(id)).toBe(1);
    const gone =
      what === "repository"
        ? await alice.api.delete(path)
        : await admin.api.delete(`/admin/users/${what === "doer" ? carol.name : bob.name}?purge=true`);
    expect(gone.status).toBe(204);
    expect(await offers(id)).toBe(0);
    if (what === "doer") {
      expect(await statusOf(bob, path)).toBe(404);
    }
    if (what !== "repository") {
      expect((await alice.api.get<Json>(path)).body.repo_transfer).toBeNull();
      // It can be offered anew.
      expect((await offer(path, (await fresh()).name)).status).toBe(201);
    }
  });

  test("and an archived repository stays archived", async () => {
    const bob = await fresh();
    const { path } = await newRepository();
    await alice.api.patch(path, { archived: true });
    expect((await offer(path, bob.name)).status).toBe(201);
    expect((await bob.api.post<{ archived: boolean }>(`${path}/transfer/accept`)).body.archived).toBe(true);
  });
});

describe("a repository goes to an organization", () => {
  test("at once where the doer may make repositories, with the teams that they name", async () => {
    const [from, to] = [await newOrganization(alice), await newOrganization(alice)];
    const [bob, carol] = [await fresh(), await fresh()];
    const old = await makeTeam(alice, from.name, { name: "old", permission: "write" }, [bob]);
    const devs = await makeTeam(alice, to.name, { name: "devs", permission: "write" }, [carol]);
    const { id, path, name, fullName } = await newRepository({ private: true }, from.name);
    await alice.api.put(`/teams/${old.id}/repos/${fullName}`);
    expect([await statusOf(bob, path), await statusOf(carol, path)]).toEqual([200, 404]);

    const { status, body } = await offer(path, to.name, { team_ids: [devs.id, devs.id] });
    expect([status, body.full_name, body.repo_transfer]).toEqual([202, `${to.name}/${name}`, null]);
    const there = `/repos/${to.name}/${name}`;
    expect([await statusOf(bob, there), await statusOf(bob, path), await statusOf(carol, there)]).toEqual([
      404, 404, 200,
    ]);
    expect((await alice.api.get<{ name: string }[]>(`${there}/teams`)).body.map((team) => team.name)).toEqual([
      "Owners",
      "devs",
    ]);
    expect(kinds(id)).toEqual(expect.arrayContaining(["repository.transferred", "team-repository.removed"]));
    expect((await alice.api.get<Json[]>(`/orgs/${from.name}/repos`)).body).toEqual([]);
    expect((await alice.api.get<Json[]>(`/orgs/${to.name}/repos`)).headers.get("x-total-count")).toBe("1");
  });

  test("else when one of those accepts it who may make repositories there", async () => {
    const [bob, carol, dave] = [await fresh("bob"), await fresh("carol"), await fresh("dave")];
    const to = await newOrganization(bob);
    await makeTeam(bob, to.name, { name: "makers", permission: "read", can_create_org_repo: true }, [carol]);
    const devs = await makeTeam(bob, to.name, { name: "devs", permission: "write" }, [dave]);
    const { path, name } = await newRepository({ private: true });
    const { status, body } = await offer(path, to.name, { team_ids: [devs.id] });
    expect([status, body.repo_transfer?.recipient.login, body.repo_transfer?.teams.map((team) => team.name)]).toEqual([
      201,
      to.name,
      ["devs"],
    ]);
    expect([await statusOf(bob, path), await statusOf(carol, path), await statusOf(dave, path)]).toEqual([
      200, 200, 404,
    ]);
    expect((await carol.api.get<Json>(path)).body.repo_transfer?.recipient.login).toBe(to.name);
    expect((await carol.api.post(`${path}/transfer/accept`)).status).toBe(202);
    const there = `/repos/${to.name}/${name}`;
    // Carol makes repositories there, and is in no team that has this one.
    expect([await statusOf(bob, there), await statusOf(carol, there), await statusOf(dave, there)]).toEqual([
      200, 404, 200,
    ]);
  });

  test("and from it to one of its owners", async () => {
    const from = await newOrganization(alice);
    const { path, name } = await newRepository({}, from.name);
    expect((await offer(path, "alice")).status).toBe(202);
    expect(await statusOf(alice, `/repos/alice/${name}`)).toBe(200);
  });
});

test("a site administrator moves it at once", async () => {
  const bob = await fresh();
  const { path, name } = await newRepository({ private: true });
  const { status, body } = await offer(path, bob.name, {}, admin);
  expect([status, body.full_name]).toEqual([202, `${bob.name}/${name}`]);
});

test("what is in it goes with it: refs, packs, LFS objects and their bytes, stars, collaborators, and the activity", async () => {
  const [bob, carol, dave] = [await fresh(), await fresh(), await fresh()];
  const { id, path, name } = await newRepository();
  const bytes = Buffer.alloc(1000, 7);
  const oid = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const lfs = await fetch(`${app.url}/alice/${name}.git/info/lfs/objects/batch`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`alice:${alice.token}`)}`,
      "content-type": "application/vnd.git-lfs+json",
      accept: "application/vnd.git-lfs+json",
    },
    body: JSON.stringify({ operation: "upload", objects: [{ oid, size: bytes.length }] }),
  });
  type Batch = { objects: { actions: { upload: { href: string; header: Record<string, string> } } }[] };
  const { upload } = ((await lfs.json()) as Batch).objects[0]!.actions;
  expect((await fetch(upload.href, { method: "PUT", headers: upload.header, body: bytes })).status).toBe(200);
  for (const who of [carol, dave]) {
    await alice.api.put(`${path}/collaborators/${who.name}`, { permission: "write" });
    await who.api.put(`/user/starred/alice/${name}`);
    await who.api.put(`${path}/subscription`);
  }
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  expect((await alice.api.post(`${path}/avatar`, { image: png })).status).toBe(204);
  const { body: release } = await alice.api.post<{ id: number }>(`${path}/releases`, { tag_name: "v1" });
  const asset = await fetch(`${app.url}/api/v1${path}/releases/${release.id}/assets?name=a.bin`, {
    method: "POST",
    headers: { authorization: `token ${alice.token}`, "content-type": "application/octet-stream" },
    body: Buffer.alloc(300, 1),
  });
  expect(asset.status).toBe(201);
  // Dave is nobody with whom the new owner has to do.
  await bob.api.put(`/user/block/${dave.name}`);

  await offer(path, bob.name);
  expect((await bob.api.post(`${path}/transfer/accept`)).status).toBe(202);
  const there = `/repos/${bob.name}/${name}`;
  expect((await bob.api.get(`${there}/contents/README.md`)).status).toBe(200);
  const bytesOf = async (who: TestUser) =>
    (await sql`select kind, bytes::int from blob_reference where owner_id = ${who.id} order by kind`).map(
      ({ kind, bytes: size }) => `${kind} ${size}`,
    );
  expect(await bytesOf(bob)).toEqual([
    "lfs-object 1000",
    "release-attachment 300",
    `repository-avatar ${Buffer.from(png, "base64").length}`,
  ]);
  expect(await bytesOf(alice)).toEqual([]);
  expect((await bob.api.get<unknown[]>(`${there}/releases/${release.id}/assets`)).body).toHaveLength(1);
  const { body } = await bob.api.get<Json & { stars_count: number; watchers_count: number }>(there);
  // Alice made it, and carol and bob watch it.
  expect([body.stars_count, body.watchers_count]).toEqual([1, 3]);
  const names = (await bob.api.get<{ login: string }[]>(`${there}/collaborators`)).body.map(({ login }) => login);
  expect(names).toEqual([carol.name]);
  expect(toldOf(id).filter(({ kind }) => kind === "collaborator.removed")).toEqual([
    expect.objectContaining({ user: { id: dave.id, name: dave.name } }),
  ]);
  const { body: feed } = await bob.api.get<{ op_type: string; content: string }[]>(`${there}/activities/feeds`);
  expect(feed.map((one) => [one.op_type, one.content])[0]).toEqual(["transfer_repo", ""]);
});

describe("at the same moment", () => {
  test("of two offers, and of two answers, one counts", async () => {
    for (let round = 0; round < 5; round++) {
      const [bob, carol] = [await fresh(), await fresh()];
      const { id, path } = await newRepository();
      const offered = await Promise.all([offer(path, bob.name), offer(path, carol.name)]);
      expect(offered.map(({ status }) => status).toSorted()).toEqual([201, 409]);
      const recipient = offered[0]?.status === 201 ? bob : carol;
      const answers = await Promise.all(
        ["accept", "reject", "accept"].map((verb) => recipient.api.post(`${path}/transfer/${verb}`)),
      );
      // Who comes when it is done is told that there is no offer, or where the repository is now.
      const counted = answers.map(({ status }) => status).filter((status) => status === 202 || status === 200);
      expect(counted).toHaveLength(1);
      const [row] = await sql<{ owner: number }[]>`select owner_id::int as owner from repository where id = ${id}`;
      expect(row?.owner).toBe(counted[0] === 202 ? recipient.id : alice.id);
      expect(await offers(id)).toBe(0);
    }
  });

  test("as stars, blocks, renames and commits nothing is lost, and what is counted stays right", async () => {
    for (let round = 0; round < 5; round++) {
      const [bob, carol] = [await fresh(), await fresh()];
      const { id, path, name } = await newRepository();
      await carol.api.put(`/user/starred/alice/${name}`);
      await carol.api.put(`${path}/subscription`);
      await offer(path, bob.name);
      const answers = await Promise.all([
        bob.api.post(`${path}/transfer/accept`),
        carol.api.delete(`/user/starred/alice/${name}`),
        bob.api.put(`/user/block/${carol.name}`),
        alice.api.patch(path, { description: "edited meanwhile" }),
        alice.api.post(`${path}/contents/more.txt`, { content: btoa("more") }),
        admin.api.get(`/repositories/${id}`),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500 && status !== 503)).toEqual([]);
      expect([
        ...(await sql`select stars, watchers, transfers from repository_count where repository_id = ${id}`),
      ]).toEqual([
        ...(await sql`select (select count(*)::int from star where repository_id = ${id}) as stars,
          (select count(*)::int from watch where repository_id = ${id}) as watchers,
          (select count(*)::int from repository_transfer where repository_id = ${id}) as transfers`),
      ]);
    }
  });
});
