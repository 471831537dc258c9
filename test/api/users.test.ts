import { describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const restricted = await app.user("restricted");
const admin = await app.admin();
const { sql } = app.forge.database;

interface User {
  login: string;
  email: string;
  is_admin: boolean;
  language: string;
  active: boolean;
}

for (const name of ["limited", "private"]) {
  await app.user(`${name}-user`);
  await sql`update owner set visibility = ${name} where lower_name = ${`${name}-user`}`;
  await app.organization(`${name}-org`, alice, {
    visibility: name as "limited" | "private",
    email: `${name}@example.com`,
  });
}
await app.organization("public-org", alice, { email: "org@example.com", description: "About it" });
await sql`update account set restricted = true where owner_id = ${restricted.id}`;

const clients = {
  anonymous: app.anonymous,
  signedIn: bob.api,
  restricted: restricted.api,
  ownerOfOrganizations: alice.api,
  admin: admin.api,
};
type Role = keyof typeof clients;
const everybody = Object.keys(clients) as Role[];

describe("who sees whom", () => {
  test.each<[string, string[]]>([
    ["/users/bob", everybody.filter((role) => role !== "restricted")],
    ["/users/limited-user", ["signedIn", "ownerOfOrganizations", "admin"]],
    ["/users/private-user", ["admin"]],
    ["/users/public-org", everybody.filter((role) => role !== "restricted")],
    ["/orgs/public-org", everybody.filter((role) => role !== "restricted")],
    ["/orgs/limited-org", ["signedIn", "ownerOfOrganizations", "admin"]],
    ["/users/limited-org", ["signedIn", "ownerOfOrganizations", "admin"]],
    ["/orgs/private-org", ["ownerOfOrganizations", "admin"]],
    ["/users/private-org", ["ownerOfOrganizations", "admin"]],
    ["/orgs/bob", []],
    ["/users/nobody", []],
  ])("%s", async (path, seers) => {
    for (const [role, client] of Object.entries(clients)) {
      const { status, body } = await client.get(path);
      expect({ role, status }).toEqual({ role, status: seers.includes(role) ? 200 : 404 });
      if (status === 404) {
        const [, group, name] = path.split("/");
        expect(redact(body)).toEqual({
          message: `There is no ${group === "orgs" ? "organization" : "user"} "${name}"`,
          url: "<url>/api/swagger",
        });
      }
    }
  });

  test("everybody sees themselves", async () => {
    for (const name of ["limited-user", "private-user", "restricted"]) {
      expect((await app.withPassword(name).get<User>(`/users/${name}`)).body.login).toBe(name);
    }
  });

  test("a member of a team sees the private organization, also a restricted one", async () => {
    expect((await restricted.api.get("/orgs/private-org")).status).toBe(404);
    const [team] =
      await sql`insert into team (organization_id, name, lower_name, mode) select id, 'Readers', 'readers', 1 from owner where lower_name = 'private-org' returning id`;
    await sql`insert into team_member (team_id, user_id) values (${team?.["id"]}, ${restricted.id})`;
    expect((await restricted.api.get("/orgs/private-org")).status).toBe(200);
    expect((await restricted.api.get("/users/private-org")).status).toBe(200);
    await sql`delete from team_member where user_id = ${restricted.id}`;
    expect((await restricted.api.get("/orgs/private-org")).status).toBe(404);
  });

  test("a public-only token sees what is public, even as an administrator", async () => {
    const client = await app.scoped(admin, "public-only", "read:user", "read:organization");
    const statuses = await Promise.all(
      ["/users/bob", "/users/limited-user", "/orgs/public-org", "/orgs/limited-org"].map(
        async (path) => (await client.get(path)).status,
      ),
    );
    expect(statuses).toEqual([200, 404, 200, 404]);
  });
});

describe("an organization", () => {
  test("is answered as a user too, with what it has", async () => {
    const { status, body } = await bob.api.get("/users/Public-Org");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      login: "public-org",
      email: "org@example.com",
      description: "About it",
      is_admin: false,
      active: false,
      visibility: "public",
    });
  });

  test("has an e-mail address for signed-in callers only", async () => {
    expect((await app.anonymous.get<User>("/orgs/public-org")).body.email).toBe("");
    expect((await bob.api.get<User>("/orgs/public-org")).body.email).toBe("org@example.com");
    expect((await app.anonymous.get<User>("/users/public-org")).body.email).toBe("public-org@noreply.127.0.0.1");
  });
});

describe("an e-mail address", () => {
  const standIn = "carol@noreply.127.0.0.1";
  const real = "carol@example.com";

  async function emails(path: string, read: (body: never) => User) {
    const callers = { anonymous: app.anonymous, other: bob.api, self: app.withPassword("carol"), admin: admin.api };
    const seen = await Promise.all(
      Object.entries(callers).map(async ([role, client]) => [role, read((await client.get<never>(path)).body).email]),
    );
    return Object.fromEntries(seen) as Record<string, string>;
  }

  test("is shown to signed-in callers, unless it is kept private; then to the user and to site administrators", async () => {
    const carol = await app.user("Carol");
    await app.repository(carol, "work");
    const places = [
      ["/users/carol", (body: User) => body],
      ["/repos/carol/work", (body: { owner: User }) => body.owner],
    ] as const;
    for (const [path, read] of places) {
      expect(await emails(path, read)).toEqual({ anonymous: standIn, other: real, self: real, admin: real });
    }
    await sql`update owner set keep_email_private = true where id = ${carol.id}`;
    for (const [path, read] of places) {
      expect(await emails(path, read)).toEqual({ anonymous: standIn, other: standIn, self: real, admin: real });
    }
    expect((await carol.api.get<User>("/user")).body.email).toBe(real);
  });

  test("that is kept private does not get into commits that the server makes, and the stand-in leads to the user", async () => {
    const dave = await app.user("dave");
    await sql`update owner set keep_email_private = true, full_name = 'Dave D' where id = ${dave.id}`;
    await app.repository(dave, "work", { auto_init: true });
    await dave.api.post("/repos/dave/work/contents/file", { content: "", message: "Second" });
    const { body } =
      await bob.api.get<{ commit: { author: { name: string; email: string } }; author: User; committer: User }[]>(
        "/repos/dave/work/commits",
      );
    const standIn = "dave@noreply.127.0.0.1";
    const told = body.map(({ commit, author, committer }) => [
      commit.author.name,
      commit.author.email,
      author.login,
      author.email,
      committer.email,
    ]);
    const once = ["Dave D", standIn, "dave", standIn, standIn];
    expect(told).toEqual([once, once]);
  });
});

test("what an account says is told to the user and to site administrators", async () => {
  const erin = await app.admin("erin");
  await sql`update account set language = 'de-DE' where owner_id = ${erin.id}`;
  await sql`update owner set pronouns = 'they/them' where id = ${erin.id}`;
  const account = { is_admin: true, language: "de-DE", active: true };
  const nothing = { is_admin: false, language: "", active: false };
  for (const [client, expected] of [
    [app.anonymous, nothing],
    [bob.api, nothing],
    [erin.api, account],
    [admin.api, account],
  ] as const) {
    expect((await client.get("/users/erin")).body).toMatchObject({ ...expected, login: "erin", pronouns: "they/them" });
  }
});
