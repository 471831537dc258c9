import { describe, expect, test } from "bun:test";
import { redact } from "../../support/redact.ts";
import { testPassword, useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const admin = await app.admin();
const alice = await app.user("alice");
const { sql } = app.forge.database;

interface User {
  id: number;
  login: string;
  email: string;
}
interface Failure {
  message: string;
}

const fullPassword = "a long enough password";
let made = 0;

/** A user that the API made, with the fields given. */
async function create(fields: Record<string, unknown> = {}): Promise<string> {
  const username = `made-${++made}`;
  const { status } = await admin.api.post("/admin/users", {
    username,
    email: `${username}@example.com`,
    password: fullPassword,
    ...fields,
  });
  expect(status).toBe(201);
  return username;
}

const edit = (name: string, fields: Record<string, unknown>) =>
  admin.api.patch<User & Failure>(`/admin/users/${name}`, fields);

describe("nobody but a site administrator", () => {
  test.each<["GET" | "POST" | "PATCH" | "DELETE", string, Record<string, unknown> | undefined]>([
    ["GET", "/admin/users", undefined],
    ["POST", "/admin/users", { username: "x", email: "x@example.com", password: fullPassword }],
    ["PATCH", "/admin/users/alice", { full_name: "X" }],
    ["DELETE", "/admin/users/alice", undefined],
    ["POST", "/admin/users/alice/rename", { new_username: "x" }],
    ["GET", "/admin/emails", undefined],
    ["GET", "/admin/emails/search?q=a", undefined],
  ])("may %s %s", async (method, path, body) => {
    const callers = [
      [app.anonymous, 401],
      [alice.api, 403],
      [await app.scoped(admin, "write:user", "write:repository"), 403],
    ] as const;
    for (const [client, status] of callers) {
      const response = await client.fetch(
        method,
        path,
        body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } },
      );
      expect(response.status).toBe(status);
    }
    expect((await app.anonymous.get("/users/alice")).status).toBe(200);
    expect((await app.anonymous.get("/users/x")).status).toBe(404);
  });

  test("reading needs the scope read:admin, writing write:admin", async () => {
    const reader = await app.scoped(admin, "read:admin");
    expect((await reader.get("/admin/users")).status).toBe(200);
    expect((await reader.patch("/admin/users/alice", { full_name: "X" })).status).toBe(403);
  });
});

describe("a user that is made", () => {
  test("has what was asked for, and signs in by name and by address", async () => {
    const sent = {
      username: "Zoe",
      email: "Zoe@Example.com",
      password: fullPassword,
      full_name: "Zoe Z",
      login_name: "zz",
      visibility: "limited",
      restricted: true,
      created_at: "2020-02-03T04:05:06Z",
    };
    const { status, body } = await admin.api.post<User>("/admin/users", { ...sent, source_id: 0, send_notify: true });
    expect(status).toBe(201);
    expect(redact(body)).toMatchObject({
      login: "Zoe",
      email: "Zoe@Example.com",
      full_name: "Zoe Z",
      login_name: "zz",
      visibility: "limited",
      restricted: true,
      active: true,
      is_admin: false,
      prohibit_login: false,
    });
    expect((body as unknown as { created: string }).created).toBe("2020-02-03T04:05:06Z");
    for (const name of ["zoe", "zoe@example.COM"]) {
      expect((await app.withPassword(name, fullPassword).get<User>("/user")).body.login).toBe("Zoe");
    }
  });

  test.each([
    [{ username: "", email: "e@example.com", password: fullPassword }, "username"],
    [{ email: "e@example.com", password: fullPassword }, "username"],
    [{ username: "e", password: fullPassword }, "email"],
    [{ username: "e", email: "nowhere", password: fullPassword }, "email"],
    [{ username: "e", email: "e@example.com" }, "password"],
    [{ username: "e", email: "e@example.com", password: "short" }, "password"],
    [{ username: "e", email: "alice@EXAMPLE.com", password: fullPassword }, "email"],
    [{ username: "ALICE", email: "e@example.com", password: fullPassword }, "name"],
    [{ username: "admin", email: "e@example.com", password: fullPassword }, "name"],
    [{ username: "a--b", email: "e@example.com", password: fullPassword }, "name"],
    [{ username: "аlice", email: "e@example.com", password: fullPassword }, "U+0430"],
    [{ username: "ａlice", email: "e@example.com", password: fullPassword }, "U+FF41"],
    [{ username: "e", email: "e@example.com", password: fullPassword, visibility: "secret" }, "visibility"],
    [{ username: "e", email: "e@example.com", password: fullPassword, source_id: 3 }, "source"],
    [{ username: "e", email: "e@example.com", password: fullPassword, full_name: "x\u202ey" }, "full_name"],
    [{ username: "e", email: "e@example.com", password: fullPassword, created_at: "yesterday" }, "created_at"],
  ])("is refused: %j", async (body, field) => {
    const answer = await admin.api.post<Failure>("/admin/users", body);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(field);
    expect((await app.anonymous.get("/users/e")).status).toBe(404);
  });

  test("by two at once is made once", async () => {
    const body = { username: "twice", email: "twice@example.com", password: fullPassword };
    const answers = await Promise.all([1, 2, 3].map(() => admin.api.post("/admin/users", body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  });
});

describe("editing", () => {
  test("changes what is given and leaves the rest", async () => {
    const name = await create({ full_name: "Before" });
    const sent = {
      description: "About",
      website: "https://example.com/x",
      location: "Here",
      pronouns: "she/her",
      visibility: "private",
      login_name: "ln",
      allow_git_hook: true,
      allow_import_local: true,
    };
    const { status, body } = await edit(name, sent);
    expect(status).toBe(200);
    const { allow_git_hook: _, allow_import_local: __, ...shown } = sent;
    expect(body).toMatchObject({ ...shown, full_name: "Before", active: true });
  });

  test.each([
    [{ full_name: "x".repeat(101) }, "full_name"],
    [{ website: "javascript:alert(1)" }, "website"],
    [{ password: "short" }, "password"],
    [{ email: "nowhere" }, "email"],
    [{ email: "alice@example.com" }, "email"],
    [{ max_repo_creation: -2 }, "max_repo_creation"],
    [{ max_repo_creation: 3_000_000_000 }, "max_repo_creation"],
    [{ source_id: 1 }, "source"],
    [{ admin: "yes" }, "admin"],
    [{ location: "x\u0000y" }, "location"],
  ])("with %j is refused, and nothing is changed", async (fields, field) => {
    const name = await create();
    const before = (await admin.api.get(`/users/${name}`)).body;
    const { status, body } = await edit(name, { description: "changed", ...fields });
    expect([status, body.message.includes(field)]).toEqual([422, true]);
    expect((await admin.api.get(`/users/${name}`)).body).toEqual(before);
  });

  test("of nobody, and of an organization, finds nobody", async () => {
    await app.organization("some-org", alice);
    expect((await edit("nobody", { full_name: "X" })).status).toBe(404);
    expect((await edit("some-org", { full_name: "X" })).status).toBe(404);
  });

  test("an address makes it the primary one and verified; the one before stays", async () => {
    const name = await create();
    expect((await edit(name, { email: "new@example.com" })).body.email).toBe("new@example.com");
    const { body } = await app
      .withPassword("new@example.com", fullPassword)
      .get<{ email: string; primary: boolean }[]>("/user/emails");
    expect(body.map(({ email, primary }) => [email, primary])).toEqual([
      [`${name}@example.com`, false],
      ["new@example.com", true],
    ]);
    expect((await edit(name, { email: `${name}@example.com` })).body.email).toBe(`${name}@example.com`);
  });

  test("suspends, with the next request", async () => {
    const name = await create();
    const client = app.withPassword(name, fullPassword);
    expect((await client.get("/user")).status).toBe(200);
    for (const [fields, status] of [
      [{ prohibit_login: true }, 401],
      [{ prohibit_login: false }, 200],
      [{ active: false }, 401],
      [{ active: true }, 200],
    ] as const) {
      await edit(name, fields);
      expect((await client.get("/user")).status).toBe(status);
    }
  });

  test("a password makes the old one wrong at once; one that must be changed opens nothing", async () => {
    const name = await create();
    expect((await app.withPassword(name, fullPassword).get("/user")).status).toBe(200);
    await edit(name, { password: "another password" });
    expect((await app.withPassword(name, fullPassword).get("/user")).status).toBe(401);
    expect((await app.withPassword(name, "another password").get("/user")).status).toBe(200);
    await edit(name, { must_change_password: true });
    expect((await app.withPassword(name, "another password").get("/user")).status).toBe(403);
  });

  test("makes and unmakes administrators, with the next request", async () => {
    const name = await create();
    const client = app.withPassword(name, fullPassword);
    await edit(name, { admin: true });
    expect((await client.get("/admin/users")).status).toBe(200);
    await edit(name, { admin: false });
    expect((await client.get("/admin/users")).status).toBe(403);
  });

  test("sets how many repositories a user may have, and whether they make organizations", async () => {
    const name = await create();
    const client = app.withPassword(name, fullPassword);
    await edit(name, { max_repo_creation: 2, allow_create_organization: false });
    const answers = await Promise.all([1, 2, 3, 4].map((number) => client.post("/user/repos", { name: `r${number}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    expect((await admin.api.post(`/admin/users/${name}/repos`, { name: "by-admin" })).status).toBe(201);
    expect((await client.post("/orgs", { username: "their-org" })).status).toBe(403);
    await edit(name, { max_repo_creation: -1, allow_create_organization: true });
    expect((await client.post("/user/repos", { name: "r5" })).status).toBe(201);
    expect((await client.post("/orgs", { username: "their-org" })).status).toBe(201);
  });
});

describe("the last administrator", () => {
  test.each([{ admin: false }, { active: false }, { prohibit_login: true }])("is not lost by %j", async (fields) => {
    const { status, body } = await edit("admin", fields);
    expect([status, body.message]).toEqual([
      422,
      '"admin" is the only site administrator who can sign in, and must stay one',
    ]);
    expect((await admin.api.delete("/admin/users/admin?purge=true")).status).toBe(422);
    expect((await admin.api.get("/admin/users")).status).toBe(200);
  });

  test("stays when several demote each other at once", async () => {
    const others = await Promise.all(["adm-1", "adm-2", "adm-3"].map((name) => app.admin(name)));
    const all = [admin, ...others];
    await Promise.all(
      all.flatMap((by) =>
        all
          .filter((other) => other !== by)
          .map((other) => by.api.patch(`/admin/users/${other.name}`, { admin: false })),
      ),
    );
    const [row] = await sql`select count(*)::int as left from account where is_admin and active and not suspended`;
    expect(row?.["left"]).toBe(1);
    await sql`update account set is_admin = (owner_id = ${admin.id})`;
  });
});

describe("the list of users", () => {
  test("has everybody, in the order asked for, page by page", async () => {
    await edit(await create(), { visibility: "private" });
    const names = async (query: string) =>
      (await admin.api.get<User[]>(`/admin/users?limit=50${query}`)).body.map(({ login }) => login);
    const alphabet = await names("");
    expect(alphabet).toEqual(alphabet.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    expect(alphabet).toContain(`made-${made}`);
    expect(await names("&sort=reversealphabetically")).toEqual(alphabet.toReversed());
    expect((await names("&sort=oldest"))[0]).toBe("Zoe");
    expect((await names("&sort=newest"))[0]).toBe(`made-${made}`);
    await edit("alice", { location: "moved" });
    expect((await names("&sort=recentupdate"))[0]).toBe("alice");
    expect((await names("&sort=leastupdate")).at(-1)).toBe("alice");
    expect(await names("&login_name=zz")).toEqual(["Zoe"]);
    expect(await names("&source_id=7")).toEqual([]);
    const { headers } = await admin.api.get("/admin/users?limit=2&page=2");
    expect(headers.get("x-total-count")).toBe(String(alphabet.length));
  });

  test.each(["sort=nonsense", "page=one", "source_id=x"])("is refused with %s", async (query) => {
    const { status, body } = await admin.api.get<Failure>(`/admin/users?${query}`);
    expect([status, body.message.includes(query.split("=")[0] ?? "")]).toEqual([422, true]);
  });
});

test("the tests' own password still opens", async () => {
  expect((await app.withPassword("alice", testPassword).get("/user")).status).toBe(200);
});
