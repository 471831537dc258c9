import { describe, expect, test } from "bun:test";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
const admin = await app.admin();
await app.organization("forge", alice);
await app.repository(alice, "site");
await app.repository(alice, "secret", { private: true });

const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login);

describe("collaborators of a repository", () => {
  test("are given access, another access, and none", async () => {
    expect((await bob.api.get("/repos/alice/secret")).status).toBe(404);
    expect((await alice.api.put("/repos/alice/secret/collaborators/Bob", { permission: "read" })).status).toBe(204);
    const { body } = await bob.api.get<{ permissions: object }>("/repos/alice/secret");
    expect(body.permissions).toEqual({ admin: false, push: false, pull: true });
    for (const [sent, permission] of [
      [{}, "write"],
      [{ permission: "admin" }, "admin"],
      [{ permission: null }, "write"],
      [{ permission: "read" }, "read"],
    ] as const) {
      expect((await alice.api.put("/repos/alice/secret/collaborators/bob", sent)).status).toBe(204);
      const answer = await bob.api.get<{ permission: string; role_name: string; user: { login: string } }>(
        "/repos/alice/secret/collaborators/bob/permission",
      );
      expect(answer.body).toMatchObject({ permission, role_name: permission, user: { login: "bob" } });
    }
    expect((await alice.api.put("/repos/alice/secret/collaborators/bob")).status).toBe(204);
    expect((await bob.api.get<{ permissions: object }>("/repos/alice/secret")).body.permissions).toEqual({
      admin: false,
      push: true,
      pull: true,
    });
    expect(logins(await alice.api.get("/repos/alice/secret/collaborators"))).toEqual(["bob"]);
    expect((await alice.api.delete("/repos/alice/secret/collaborators/bob")).status).toBe(204);
    expect((await bob.api.get("/repos/alice/secret")).status).toBe(404);
    expect(logins(await alice.api.get("/repos/alice/secret/collaborators"))).toEqual([]);
    expect((await alice.api.delete("/repos/alice/secret/collaborators/bob")).status).toBe(404);
  });

  test.each([
    ["nobody", {}, 422, "nobody"],
    ["forge", {}, 422, "forge"],
    ["alice", {}, 422, "alice"],
    ["bob", { permission: "owner" }, 422, "permission"],
    ["bob", { permission: 3 }, 422, "permission"],
  ])("%s with %p is %d and changes nothing", async (name, body, status, named) => {
    const answer = await alice.api.put<{ message: string }>(`/repos/alice/site/collaborators/${name}`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(named);
    expect((await alice.api.get("/repos/alice/site/collaborators")).body).toEqual([]);
  });

  test("a user whom nobody may know of is as one who does not exist", async () => {
    const shy = await app.user("shy");
    await app.forge.database.sql`update owner set visibility = 'private' where id = ${shy.id}`;
    const [hidden, absent] = [
      await alice.api.put<{ message: string }>("/repos/alice/site/collaborators/shy"),
      await alice.api.put<{ message: string }>("/repos/alice/site/collaborators/who"),
    ];
    expect([hidden.status, absent.status]).toEqual([422, 422]);
    expect(hidden.body.message.replace("shy", "who")).toBe(absent.body.message);
  });

  test("are changed by administrators of the repository only", async () => {
    expect((await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "write" })).status).toBe(204);
    const scoped = await app.scoped(alice, "read:repository", "write:user");
    for (const [client, status] of [
      [app.anonymous, 401],
      [carol.api, 403],
      [bob.api, 403],
      [scoped, 403],
    ] as const) {
      for (const method of ["PUT", "DELETE"]) {
        expect((await client.request(method, "/repos/alice/site/collaborators/carol")).status).toBe(status);
      }
    }
    expect((await carol.api.put("/repos/alice/secret/collaborators/carol")).status).toBe(404);
    expect((await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "admin" })).status).toBe(204);
    expect((await bob.api.put("/repos/alice/site/collaborators/carol")).status).toBe(204);
    expect((await bob.api.delete("/repos/alice/site/collaborators/bob")).status).toBe(204);
    expect((await bob.api.delete("/repos/alice/site/collaborators/carol")).status).toBe(403);
    expect((await admin.api.delete("/repos/alice/site/collaborators/carol")).status).toBe(204);
  });

  test("are asked for by whoever reads it", async () => {
    expect((await alice.api.put("/repos/alice/site/collaborators/bob")).status).toBe(204);
    expect(logins(await carol.api.get("/repos/alice/site/collaborators"))).toEqual(["bob"]);
    for (const [name, status] of [
      ["bob", 204],
      ["carol", 404],
      ["nobody", 404],
      ["alice", 404],
    ] as const) {
      const answer = await carol.api.get(`/repos/alice/site/collaborators/${name}`);
      expect([answer.status, answer.body]).toEqual([status, null]);
    }
    expect((await carol.api.get("/repos/alice/site/collaborators/a%20b")).status).toBe(422);
    expect((await app.anonymous.get("/repos/alice/site/collaborators")).status).toBe(401);
    expect((await carol.api.get("/repos/alice/secret/collaborators")).status).toBe(404);
    expect((await carol.api.get("/repos/alice/secret/collaborators/bob")).status).toBe(404);
    expect((await carol.api.get("/repos/alice/site/collaborators/bob/permission")).status).toBe(403);
    expect((await alice.api.get("/repos/alice/site/collaborators/nobody/permission")).status).toBe(404);
    expect((await alice.api.delete("/repos/alice/site/collaborators/bob")).status).toBe(204);
  });

  test("are none of those whom the owner blocked, or who blocked the owner", async () => {
    expect((await alice.api.put("/user/block/carol")).status).toBe(204);
    expect((await alice.api.put("/repos/alice/site/collaborators/carol")).status).toBe(403);
    expect((await alice.api.put("/user/unblock/carol")).status).toBe(204);
    expect((await carol.api.put("/user/block/alice")).status).toBe(204);
    expect((await alice.api.put("/repos/alice/site/collaborators/carol")).status).toBe(403);
    expect((await carol.api.put("/user/unblock/alice")).status).toBe(204);
    expect((await alice.api.get("/repos/alice/site/collaborators")).body).toEqual([]);
  });
});

test("anybody's access is what holds for them in all", async () => {
  await makeTeam(
    alice,
    "forge",
    { name: "issues", units_map: { "repo.issues": "write" }, includes_all_repositories: true },
    [bob],
  );
  await app.repository(alice, "tool", { private: true }, "forge");
  const permission = async (name: string) =>
    (await alice.api.get<{ permission: string }>(`/repos/forge/tool/collaborators/${name}/permission`)).body.permission;
  expect(await permission("alice")).toBe("owner");
  expect(await permission("admin")).toBe("owner");
  expect(await permission("bob")).toBe("write");
  expect(await permission("carol")).toBe("none");
  expect(
    (await alice.api.get<{ permission: string }>("/repos/alice/site/collaborators/carol/permission")).body.permission,
  ).toBe("read");
});
